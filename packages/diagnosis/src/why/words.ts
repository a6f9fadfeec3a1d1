import {
  type Goal,
  type Instant,
  requeuesUntilAlert,
  saidBy,
  sourceOfMove,
  stepKinds,
} from "@holdfast/domain";
import type { StepFacts } from "@holdfast/state-store";
import { instant } from "../print/instant.ts";

/** "step charge of Agent payments", "the undo of step charge of Agent payments". */
export function stepOf({ name, kind, agent }: StepFacts): string {
  const call = name.replace(/:undo$/, "");
  if (!stepKinds[kind].isClaimed) return `step ${name}`;
  return `${stepKinds[kind].goal === "undo" ? "the undo of step" : "step"} ${call} of Agent ${agent}`;
}

/** What an operator can do about a step that has failed: "resubmit or resolve it". */
export function remediesOf({ kind }: StepFacts, goal: Goal): string {
  const { isClaimed, isResolvable } = stepKinds[kind];
  const remedies = [
    ...(isClaimed && isResolvable ? ["resubmit or resolve it"] : []),
    ...(!isClaimed && isResolvable ? ["resolve it"] : []),
    ...(goal === "do" ? ["cancel the task"] : []),
  ];
  return remedies.join(", or ");
}

/** What it means that an Agent's queue is not there, and what to do. */
export const queueMissing = ({ agent }: StepFacts): string =>
  `the queue agent.${agent} is missing, so requests come back to the Scheduler; start the Agent, which declares it, or import the broker's definitions`;

/** "payments.declined: not enough money". */
export function faultOf({ faultCode, lastReason, faultDetail }: StepFacts): string {
  const code = faultCode ?? lastReason ?? "no fault that was written down";
  return faultDetail === null ? code : `${code}: ${faultDetail}`;
}

/**
 * "payments.declined: not enough money, said by the remote service": of a failure that was counted.
 */
export function countedFaultOf(step: StepFacts): string {
  const { faultCode, lastReason, processState } = step;
  const reason = faultCode ?? lastReason;
  const move = { action: "fail", fromState: null, toState: processState, reason };
  const said = saidBy(sourceOfMove(move));
  return said === "" ? faultOf(step) : `${faultOf(step)}, ${said}`;
}

/** "payments.declined, said by the remote service": what a task is undone for. */
export function undoReason(reason: string): string {
  const move = { action: "undo", fromState: null, toState: "undoing", reason };
  const said = saidBy(sourceOfMove(move));
  return said === "" ? reason : `${reason}, ${said}`;
}

/** How long what is no failure may wait. */
export const waitLimit = ({
  completeBy,
  now,
}: {
  completeBy: Instant | null;
  now: Instant;
}): string =>
  completeBy === null
    ? "however long that takes"
    : `at most until ${instant(completeBy, now)}, the limit of the task`;

/** When a person hears of a step that is requeued again and again. */
export const alertAfter = `a person is alerted after each ${requeuesUntilAlert} times in a row (step.delayed)`;
