import { type Clock, type Logger, type Metrics, type Repetition, repeat } from "@holdfast/runtime";

/**
 * Work that is done over and over: one round resolves to the delay until the next, in milliseconds.
 */
export interface Loop<Name extends string> {
  readonly name: Name;
  readonly round: () => Promise<number>;
}

interface LoopDependencies {
  /** Ends all loops. */
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, "error" | "info">;
  readonly clock: Pick<Clock, "after">;
  /** Counts rounds that fail. */
  readonly metrics: Metrics;
}

/** Loops that wake one another by name. */
export interface LoopSet<Name extends string> {
  start(loops: readonly Loop<Name>[]): void;
  /** Has the loop begin its next round now. Before its start there is nothing to wake. */
  readonly wake: (name: Name) => void;
  /** Resolves once the signal has aborted and every loop has finished its round. */
  ended(): Promise<void>;
}

/** No loop runs before `start`. */
export function loopSet<Name extends string>(dependencies: LoopDependencies): LoopSet<Name> {
  const running = new Map<Name, Repetition>();
  return {
    start(loops: readonly Loop<Name>[]): void {
      for (const { name, round } of loops) {
        running.set(name, repeat(round, { name, ...dependencies }));
      }
    },
    wake: (name: Name): void => running.get(name)?.wake(),
    async ended(): Promise<void> {
      await Promise.all([...running.values()].map((loop) => loop.ended));
    },
  };
}

/** Loops that go on until they are disposed of. A round that runs then is not waited for. */
export function lastingLoops<Name extends string>(
  dependencies: Omit<LoopDependencies, "signal">,
): LoopSet<Name> & Disposable {
  const stopping = new AbortController();
  const loops = loopSet<Name>({ ...dependencies, signal: stopping.signal });
  return { ...loops, [Symbol.dispose]: () => stopping.abort() };
}
