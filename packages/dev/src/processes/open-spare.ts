import type { PreparedProcess } from "./prepare-process.ts";

/** One process that is ready to begin, for the next time that one is needed. */
export interface Spare extends AsyncDisposable {
  take(): PreparedProcess;
}

/** Milliseconds after which the next one is prepared: what is being done now has the processor first. */
const prepareAfter = 1_500;

/** Prepares the first process at once, and each further one a moment after the last was taken. */
export function openSpare(prepare: () => PreparedProcess): Spare {
  let next: PreparedProcess | null = prepare();
  let timer: NodeJS.Timeout | undefined;
  return {
    take() {
      const taken = next ?? prepare();
      next = null;
      clearTimeout(timer);
      timer = setTimeout(() => {
        next = prepare();
      }, prepareAfter);
      return taken;
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await next?.[Symbol.asyncDispose]();
    },
  };
}
