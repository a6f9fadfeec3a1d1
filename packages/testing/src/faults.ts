import { TransientFault } from "@holdfast/domain";
import type { Duration } from "@holdfast/workflow";

/**
 * The points at which an Agent can die: before the handler, after it, or around the publish of its
 * reply.
 */
export type AgentPoint = "agent.received" | "agent.worked" | "agent.replying" | "agent.replied";

/**
 * A fault that a test injects, `times` over. Steps are named as in the workflow; the undo of a
 * step is `<step>:undo`.
 */
export type InjectedFault =
  | {
      readonly kind: "kill";
      readonly agent: string;
      readonly at: AgentPoint;
      readonly step: string | null;
      readonly times: number;
    }
  | { readonly kind: "loseReply"; readonly step: string; readonly times: number }
  | { readonly kind: "loseRequest"; readonly step: string; readonly times: number }
  | { readonly kind: "duplicateRequest"; readonly step: string; readonly times: number }
  | {
      readonly kind: "delayRequest";
      readonly step: string;
      readonly by: Duration;
      readonly times: number;
    }
  | {
      readonly kind: "fail";
      readonly step: string;
      readonly error: Error;
      readonly times: number;
    };

interface Times {
  /** The number of times that it happens; 1 unless given. */
  readonly times?: number;
}

interface KillOptions extends Times {
  readonly at: AgentPoint;
  /** The step at which it dies; null: whichever it performs. */
  readonly step?: string | null;
}

/**
 * Kills the Agent at this point, as `kill -9` would; a new process starts a second later. With
 * `step`, only while it performs that step.
 */
export const kill = (
  agent: string,
  { at, step = null, times = 1 }: KillOptions,
): InjectedFault => ({ kind: "kill", agent, at, step, times });

/**
 * Drops the reply to this step: the handler was called, and no Scheduler learns what became of it.
 */
export const loseReply = (step: string, { times = 1 }: Times = {}): InjectedFault => ({
  kind: "loseReply",
  step,
  times,
});

/** Drops the request for this step: no Agent receives it. */
export const loseRequest = (step: string, { times = 1 }: Times = {}): InjectedFault => ({
  kind: "loseRequest",
  step,
  times,
});

/** Delivers the request for this step twice. */
export const duplicateRequest = (step: string, { times = 1 }: Times = {}): InjectedFault => ({
  kind: "duplicateRequest",
  step,
  times,
});

/** Delivers the request for this step so much later. */
export const delayRequest = (
  step: string,
  { by, times = 1 }: Times & { readonly by: Duration },
): InjectedFault => ({ kind: "delayRequest", step, by, times });

/**
 * Fails this step instead of calling its handler. With a transient fault unless `error` says
 * otherwise.
 */
export const fail = (
  step: string,
  { error = unavailable, times = 1 }: Times & { readonly error?: Error } = {},
): InjectedFault => ({ kind: "fail", step, error, times });

const unavailable = new TransientFault("test.unavailable", "The test has this call fail");
