import { stepKinds } from "@holdfast/domain";
import type { StepFacts } from "@holdfast/state-store";
import { pausedBy } from "../print/instant.ts";
import { type Facts, isDone, isSettled, stepNamed } from "./facts.ts";
import { countedFaultOf, stepOf } from "./words.ts";

/** Why a step may not be begun yet. */
export function explainWaiting(step: StepFacts, facts: Facts): string {
  if (facts.paused !== null) {
    return `It waits with ${stepOf(step)}: the task is paused by ${pausedBy(facts.paused, facts.now)}.`;
  }
  const failed = facts.steps.find(({ processState }) => processState === "error");
  if (facts.goal === "do" && failed !== undefined) {
    return `It waits with ${stepOf(step)}: the task halted at ${stepOf(failed)} with ${countedFaultOf(failed)}.`;
  }
  const before = predecessorsOf(step, facts);
  if (before.length > 0) {
    const names = before.map((one) => `${one.name} (${one.processState})`).join(", ");
    return `It waits with ${stepOf(step)} for what comes before: ${names}.`;
  }
  return step.admitted
    ? `It waits with ${stepOf(step)}, and all that comes before is done: it is not planned yet, and the Supervisor plans it within a minute.`
    : `It waits with ${stepOf(step)}, whose condition is not decided yet: the Supervisor's sweep decides it within a minute.`;
}

/** The steps that must be over before this one is begun, and are not. */
function predecessorsOf(step: StepFacts, facts: Facts): readonly StepFacts[] {
  const plan = facts.plan?.steps.get(step.name);
  if (stepKinds[step.kind].goal === "do")
    return named(plan?.after ?? [], facts).filter((one) => !isDone(one));
  const undoes = plan?.undoes ?? step.name.replace(/:undo$/, "");
  const call = named([undoes], facts).filter((one) => !isSettled(one));
  const later = named(facts.plan?.downstream.get(undoes) ?? [], facts);
  const undos = named(
    later.map(({ name }) => `${name}:undo`),
    facts,
  );
  return [
    ...call,
    ...later.filter((one) => one.attempt > 0 && !isSettled(one)),
    ...undos.filter((one) => !isDone(one)),
  ];
}

const named = (names: readonly string[], facts: Facts): readonly StepFacts[] =>
  names.map((name) => stepNamed(facts, name)).filter((step) => step !== undefined);
