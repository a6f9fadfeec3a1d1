import { type Instant, type StepPlan, signalOf, stepKinds } from "@holdfast/domain";
import type { StepFacts, UnprovenPath } from "@holdfast/state-store";
import type { CauseKind } from "../causes/cause.ts";
import { count } from "../print/count.ts";
import { instant, pausedBy } from "../print/instant.ts";
import { causesOfStep, wordsOf } from "./causes-of-step.ts";
import { explainPending } from "./explain-pending.ts";
import { type Facts, isDone, isSettled, stepNamed } from "./facts.ts";
import { countedFaultOf, remediesOf, stepOf, waitLimit } from "./words.ts";

/** Says in one sentence in which state a step is, and why. Total: every state has an answer. */
export function explainStep(step: StepFacts, facts: Facts): string {
  switch (step.processState) {
    case "waiting":
      return explainWaiting(step, facts);
    case "pending":
      return explainPending(step, facts);
    case "processing":
      return explainProcessing(step, facts);
    case "awaiting":
      return explainAwaiting(step, facts);
    case "error":
      return explainError(step, facts);
    case "processed":
      if (step.lastAction === "fire") {
        const by = step.lastReason === null ? "" : `, by ${step.lastActor ?? "an operator"}`;
        return `The wait of ${stepOf(step)} ended at ${instant(step.since, facts.now)}${by}.`;
      }
      if (step.lastAction === "resolve") {
        return `${capital(stepOf(step))} was resolved by hand by ${step.lastActor ?? "an operator"} at ${instant(step.since, facts.now)}, after ${count(step.attempt, "attempt")}.`;
      }
      return `${capital(stepOf(step))} was done at ${instant(step.since, facts.now)}, by attempt ${step.attempt}.`;
    case "skipped":
      return `${capital(stepOf(step))} was skipped: ${step.lastReason ?? "there was nothing to do"}.`;
    case "cancelled":
      return `${capital(stepOf(step))} was cancelled: ${step.lastReason ?? "the task is to be undone"}.`;
  }
}

/**
 * Milliseconds by which a wait may be over before it is late: a Scheduler looks every few seconds.
 */
const lateAfter = 10_000;

function explainAwaiting(step: StepFacts, facts: Facts): string {
  const { notBefore } = step;
  const { now } = facts;
  const plan = facts.plan?.steps.get(step.name);
  const what = plan === undefined ? "" : whatEnds(plan, step);
  if (notBefore === null || !Number.isFinite(notBefore))
    return `It waits${what}: ${stepOf(step)}. Nothing is wrong.`;
  const until = `It waits${what} until ${instant(notBefore, now)}: ${stepOf(step)}`;
  if (now <= notBefore + lateAfter) return `${until}. Nothing is wrong.`;
  const end = plan === undefined ? null : heldUpEnd(plan);
  if (end !== null && (facts.paused !== null || facts.processState === "halted")) {
    return `${until}, which is over: it ${end} once the task goes on, and not before.`;
  }
  const { shared } = causesOfStep(step, facts);
  const scheduler = shared.find(({ kind }) => kind === "scheduler");
  return scheduler === undefined
    ? `${until}, which is over: a Scheduler ends it as soon as it can; see holdfast doctor.`
    : `${until}, which is over. ${wordsOf(scheduler)}`;
}

/** What ends a wait before its time, in words that follow "It waits". */
function whatEnds(plan: StepPlan, { approvals }: StepFacts): string {
  const signal = signalOf(plan);
  if (signal !== null) return ` for the signal ${signal}`;
  return "quorum" in plan
    ? ` for ${plan.audience} to decide, of whom ${approvals ?? 0} of ${plan.quorum} have approved,`
    : "";
}

/** What becomes of a wait whose time stands still while its task is held up; null: it does not. */
function heldUpEnd(plan: StepPlan): "fails" | "ends" | null {
  if (!("onDeadline" in plan)) return null;
  if (plan.onDeadline === "continue") return null;
  return plan.onDeadline === "approve" ? "ends" : "fails";
}

function explainProcessing(step: StepFacts, facts: Facts): string {
  const { now, plan } = facts;
  const stepPlan = plan?.steps.get(step.name);
  const failures =
    stepPlan !== undefined && "retry" in stepPlan ? stepPlan.retry.failures : undefined;
  const attempt = `attempt ${step.attempt}, ${step.failureCount}${failures === undefined ? "" : ` of ${failures}`} failures counted`;
  const hand = `claimed by ${step.lockedBy ?? "an unknown Scheduler"} since ${instant(step.since, now)} (${attempt})`;
  const { completeBy } = step;
  const { shared, ofAgents } = causesOfStep(step, facts);
  if (completeBy === null || completeBy <= now) {
    const over = `It waits for ${stepOf(step)}, ${hand}, whose time was over at ${instant(completeBy, now)}`;
    const first = shared.find(({ kind }) => holdsVerdict.has(kind));
    if (first === undefined) return `${over}: the Supervisor takes it up.`;
    const [unproven] = facts.unproven;
    return first.kind === "replies" && unproven !== undefined
      ? `${over}. ${silenceOf(unproven, facts)}`
      : `${over}. ${wordsOf(first)}`;
  }
  const lease = `lease until ${instant(completeBy, now)}`;
  const cause = [...shared, ...ofAgents].find((one) => one !== null && holdsReplies.has(one.kind));
  if (cause != null) return `It waits for ${stepOf(step)}, ${hand}, ${lease}. ${wordsOf(cause)}`;
  if (step.startedAt !== null) {
    return `It waits for ${stepOf(step)}, ${hand}: the Agent began it at ${instant(step.startedAt, now)}${signOf(step, now)}, ${lease}.`;
  }
  return step.confirmed
    ? `It waits for ${stepOf(step)}, ${hand}: the broker has the request, ${lease}.`
    : `It waits for ${stepOf(step)}, ${hand}: the broker's confirm is not recorded yet, ${lease}.`;
}

/** Why its silence says nothing yet. */
const silenceOf = ({ queue, trouble, silentSince }: UnprovenPath, facts: Facts): string =>
  `Whether a reply could have arrived is not known since ${instant(silentSince, facts.now)}${trouble === null ? "" : ` (of the last probe to ${queue}: ${trouble})`}, so its silence is no failure: it waits until a probe comes through, ${waitLimit(facts)}.`;

/** What keeps the silence of an attempt from being judged. */
const holdsVerdict: ReadonlySet<CauseKind> = new Set([
  "scheduler",
  "broker",
  "replies",
  "supervisor",
]);

/** What keeps the reply of an attempt in flight from coming or from counting. */
const holdsReplies: ReadonlySet<CauseKind> = new Set([
  "scheduler",
  "broker",
  "agentQueue",
  "agentSilent",
  "circuits",
]);

/** What the handler said last. */
function signOf({ heartbeatAt, progress }: StepFacts, now: Instant): string {
  if (heartbeatAt === null) return "";
  const { percent, note } = progress ?? {};
  const percentage = percent === undefined ? [] : [`${percent} %`];
  const said = [...percentage, ...(note === undefined ? [] : [note])].join(", ");
  const words = said === "" ? "" : ` (${said})`;
  return ` and was last at work at ${instant(heartbeatAt, now)}${words}`;
}

function explainError(step: StepFacts, { goal }: Facts): string {
  const attempts = step.attempt === 0 ? "" : `, after ${count(step.attempt, "attempt")}`;
  const what = `${capital(stepOf(step))} failed for good with ${countedFaultOf(step)}${attempts}`;
  return goal === "do" || stepKinds[step.kind].goal === "undo"
    ? `${what}: ${remediesOf(step, goal)}.`
    : `${what}, so the task is undone.`;
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Why a step may not be begun yet. */
function explainWaiting(step: StepFacts, facts: Facts): string {
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
