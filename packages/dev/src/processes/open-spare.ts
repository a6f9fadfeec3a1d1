import type { PreparedProcess } from "./prepare-process.ts";

/** One process that is ready to begin, for the next time that one is needed. */
export interface Spare extends AsyncDisposable {
  take(): PreparedProcess;
}

/**
 * Milliseconds after which the next one is prepared: what is being done now has the processor
 * first.
 */
const prepareAfter = 1_500;

/**
 * Prepares the first process at once, and each further one a moment after the last was taken, but
 * none before `calm`: while everything starts, what is needed now has the processor.
 */
export function openSpare(prepare: () => PreparedProcess, calm: Promise<void>): Spare {
  let next: PreparedProcess | null = prepare();
  let timer: NodeJS.Timeout | undefined;
  let isOpen = true;
  const prepareNext = (): void => {
    clearTimeout(timer);
    if (!isOpen) return;
    timer = setTimeout(() => {
      next ??= prepare();
    }, prepareAfter);
  };
  return {
    take() {
      const taken = next ?? prepare();
      next = null;
      void calm.then(prepareNext);
      return taken;
    },
    async [Symbol.asyncDispose]() {
      isOpen = false;
      clearTimeout(timer);
      await next?.[Symbol.asyncDispose]();
    },
  };
}
