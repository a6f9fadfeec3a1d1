import type { CallRecorder } from "./record-calls.ts";
import type { World } from "./simulator/world.ts";

interface Options {
  readonly recorder: Pick<CallRecorder, "awaited" | "nextEnd">;
  /** Real milliseconds for which virtual time waits for a handler. */
  readonly timeout: number;
}

interface VirtualTime {
  /** Lets time pass, and stops it while handlers run. */
  passUntil(isOver: () => boolean): Promise<void>;
  /** Lets so many virtual milliseconds pass. */
  pass(ms: number): Promise<void>;
}

/** Time that passes only when a test says so. */
export function virtualTime(
  timeline: World["timeline"],
  { recorder, timeout }: Options,
): VirtualTime {
  const passUntil = async (isOver: () => boolean): Promise<void> => {
    while (!isOver()) {
      await timeline.run(() => isOver() || recorder.awaited > 0);
      if (recorder.awaited > 0) await recorder.nextEnd(timeout);
    }
  };
  return {
    passUntil,
    async pass(ms) {
      let isThere = false;
      timeline.after(ms, () => {
        isThere = true;
      });
      await passUntil(() => isThere);
    },
  };
}
