/** One call of a handler. */
export interface HandlerCall {
  readonly agent: string;
  readonly operation: string;
  readonly step: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  /** What the handler was given; of an undo, what is to be undone. */
  readonly input: unknown;
  /** Virtual milliseconds since the run began. */
  readonly at: number;
  /** What became of it so far. */
  readonly outcome: "running" | "returned" | "threw";
  readonly output?: unknown;
  readonly error?: unknown;
}

interface CallLog {
  /** All of them, in the order in which they began. */
  readonly calls: readonly HandlerCall[];
  /** How many are running. */
  readonly running: number;
  begin(call: HandlerCall): HandlerCall;
  end(call: HandlerCall, outcome: Partial<HandlerCall>): void;
  /**
   * Waits until a call ends, or for so many real milliseconds: then those that run count as running
   * no more.
   */
  readonly nextEnd: (timeout: number) => Promise<void>;
}

/** Keeps the calls of handlers, and which of them are running. */
export function callLog(): CallLog {
  const calls: HandlerCall[] = [];
  const running = new Set<HandlerCall>();
  let ended = Promise.withResolvers<void>();
  return {
    calls,
    get running() {
      return running.size;
    },
    begin(call) {
      calls.push(call);
      running.add(call);
      return call;
    },
    end(call, outcome) {
      Object.assign(call, outcome);
      running.delete(call);
      ended.resolve();
      ended = Promise.withResolvers<void>();
    },
    async nextEnd(timeout) {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        running.clear();
        resolve();
      }, timeout);
      await Promise.race([ended.promise, late]);
      clearTimeout(timer);
    },
  };
}
