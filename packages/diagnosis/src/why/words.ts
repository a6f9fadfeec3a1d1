import { type Instant, stepKinds } from "@holdfast/domain";
import { type PauseFacts, type StepFacts, unusableActor } from "@holdfast/state-store";
import { duration } from "../print/duration.ts";

/** "2026-11-21T10:00:00.000Z (12 s ago)". */
export function instant(at: Instant | null, now: Instant): string {
  if (at === null) return "an unknown time";
  const distance = at >= now ? `in ${duration(at - now)}` : `${duration(now - at)} ago`;
  return `${new Date(at).toISOString()} (${distance})`;
}

/** "ann since … because of stock-taking". */
export const pausedBy = ({ at, by, reason }: PauseFacts, now: Instant): string =>
  `${by} since ${instant(at, now)} ${reason === null ? "without a reason" : `because: ${reason}`}${by === unusableActor ? repair : ""}`;

const repair = " (what is stored of it was changed: restore it; see holdfast verify)";

/** "step charge of Agent payments", "the undo of step charge of Agent payments". */
export function stepOf({ name, kind, agent }: StepFacts): string {
  const call = name.replace(/:undo$/, "");
  return `${stepKinds[kind].goal === "undo" ? "the undo of step" : "step"} ${call} of Agent ${agent}`;
}

/** What it means that an Agent's queue is not there, and what to do. */
export const queueMissing = ({ agent }: StepFacts): string =>
  `the queue agent.${agent} is missing, so requests come back to the Scheduler; start the Agent, which declares it, or import the broker's definitions`;

/** "payments.declined: not enough money". */
export function faultOf({ faultCode, lastReason, faultDetail }: StepFacts): string {
  const code = faultCode ?? lastReason ?? "no fault that was written down";
  return faultDetail === null ? code : `${code}: ${faultDetail}`;
}
