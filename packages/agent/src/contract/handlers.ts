import type { Agent, InputOf, Operation, Operations, OutputOf } from "@holdfast/workflow";

/** What a handler knows about the attempt that it makes. */
export interface StepContext {
  readonly taskId: string;
  readonly step: string;
  /** Rises with every attempt; 1 for the first. */
  readonly attempt: number;
  /**
   * The key of the step, the same for every attempt: hand it to the remote service, so that doing
   * it twice does it once.
   */
  readonly idempotencyKey: string;
  /**
   * The place of this call in the trace of the task, for the header of that name: the remote
   * service can go on there. Node's `fetch` sends it by itself where traces are on. Absent: the
   * task belongs to no trace.
   */
  readonly traceparent?: string;
  /**
   * Aborts at the deadline, when another instance may have the step, and as soon as the task is to
   * be undone: stop, whatever you do.
   */
  readonly signal: AbortSignal;
  /**
   * Says that the handler is at work. If the step has `extendUpTo`, each call gives the attempt
   * `completeWithin` more. Call it as often as you like: it is sent a few times in each
   * `completeWithin`, and costs nothing in between.
   */
  readonly heartbeat: () => void;
  /**
   * A heartbeat that also says how far the handler is: people see it in the task, and in `holdfast
   * why`.
   */
  readonly progress: (progress: Progress) => void;
}

/** How far a handler is. */
export interface Progress {
  /** 0 to 100. */
  readonly percent?: number;
  /** A few words; after 200 characters they are cut. */
  readonly note?: string;
}

/** What is to be undone. */
export interface EffectOf<O extends Operation> {
  readonly input: OutputOf<O["input"]>;
  /** What the operation returned; undefined: its outcome is unknown. */
  readonly output: OutputOf<O["output"]> | undefined;
  /** The idempotency key that the operation was asked for with. */
  readonly key: string;
}

type Does<O extends Operations> = {
  readonly [Name in keyof O]: (
    input: OutputOf<O[Name]["input"]>,
    step: StepContext,
  ) => Promise<InputOf<O[Name]["output"]>>;
};

type Undoes<O extends Operations> = {
  readonly [Name in keyof O as O[Name]["undo"] extends string ? O[Name]["undo"] : never]: (
    effect: EffectOf<O[Name]>,
    step: StepContext,
  ) => Promise<void>;
};

/**
 * The code behind an Agent: one function for each operation of its contract, and one for each undo.
 * Return the output, or throw: a `PermanentFault` when trying again cannot help, anything else to
 * be tried again. A fault may say `effect: "none"`, when the remote service certainly did nothing,
 * and a `TransientFault` `retryAfter`.
 */
export type Handlers<A> = A extends Agent<infer O extends Operations> ? Does<O> & Undoes<O> : never;
