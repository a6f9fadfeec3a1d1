import { durationText, stepKinds } from "@holdfast/domain";
import type { PauseFacts, StalledConsumerFacts, StepFacts } from "@holdfast/state-store";
import { count } from "../print/count.ts";
import { instant, pausedBy } from "../print/instant.ts";
import { explainStep } from "./explain-step.ts";
import type { Facts } from "./facts.ts";
import { turnOf } from "./turn-of.ts";
import { countedFaultOf, remediesOf, stepOf, undoReason } from "./words.ts";

/** Why a task is where it is. */
export interface Explanation {
  readonly sentence: string;
  /** The state of each step that the sentence is not about, and who activated the version. */
  readonly evidence: readonly string[];
  /** What each step that is open waits for. */
  readonly steps: readonly { readonly name: string; readonly sentence: string }[];
}

/** One sentence about a task, with its evidence. Total: every state has an answer. */
export function explain(facts: Facts): Explanation {
  const subject = subjectOf(facts);
  return {
    sentence: sentenceOf(facts, subject),
    evidence: [
      ...(facts.processState === "undoing"
        ? [`It is being undone because of ${reasonOf(facts)}.`]
        : []),
      ...facts.steps.filter((step) => step !== subject).map((step) => explainStep(step, facts)),
      ...(facts.finishedAt === null ? facts.stalledConsumers.map(explainStalledConsumer) : []),
      ...(facts.activated === null ? [] : [explainVersion(facts.workflow, facts.activated)]),
    ],
    steps: facts.steps
      .filter(({ processState }) => openStates.has(processState))
      .map((step) => ({ name: step.name, sentence: explainStep(step, facts) })),
  };
}

const openStates: ReadonlySet<string> = new Set(["waiting", "pending", "processing", "awaiting"]);

/**
 * Who is ahead of the step that the sentence is about; null: it is not due, so that it has no turn.
 */
export function turnIn(facts: Facts): string | null {
  const subject = subjectOf(facts);
  const isDue = subject?.processState === "pending" && (subject.notBefore ?? 0) <= facts.now;
  return isDue ? turnOf(subject) : null;
}

const explainVersion = (workflow: string, { at, by, reason }: PauseFacts): string =>
  `${workflow} was activated last at ${new Date(at).toISOString()} by ${by}: ${reason ?? "without a reason"}.`;

const explainStalledConsumer = (stalledConsumer: StalledConsumerFacts): string => {
  const { instance, queue, messages, forMs, error } = stalledConsumer;
  return `${instance} has failed for ${durationText(forMs)} to record ${count(messages, "message")} of ${queue} (${error}): what the task waits for may be among them; see holdfast doctor.`;
};

function sentenceOf(facts: Facts, subject: StepFacts | null): string {
  switch (facts.processState) {
    case "processed":
      return `It was processed at ${instant(facts.finishedAt, facts.now)}.`;
    case "undone":
      return `It was undone at ${instant(facts.finishedAt, facts.now)}, because of ${reasonOf(facts)}.`;
    case "halted":
      return subject === null ? nothing(facts) : haltSentence(subject, facts);
    case "undoing":
    case "pending":
    case "processing":
      return openSentence(facts, subject);
  }
}

function haltSentence(subject: StepFacts, { goal }: Facts): string {
  const halted = `It halted with ${countedFaultOf(subject)}, at ${stepOf(subject)}`;
  const what = `${halted}: ${remediesOf(subject, goal)}`;
  return goal === "do" ? `${what}.` : `${what}, for nothing else can undo it.`;
}

function openSentence(facts: Facts, subject: StepFacts | null): string {
  const goesOn = subject?.processState === "processing" || subject?.processState === "awaiting";
  if (facts.paused !== null && !goesOn) {
    return `It is paused by ${pausedBy(facts.paused, facts.now)}.`;
  }
  return subject === null ? nothing(facts) : explainStep(subject, facts);
}

/**
 * What an operator or the Supervisor must look at first, then what is in progress, then what is
 * next.
 */
const urgency = ["error", "processing", "pending", "awaiting", "waiting"] as const;

/** The step that the sentence is about; null: none is open. */
function subjectOf({ steps, processState, goal }: Facts): StepFacts | null {
  if (processState === "processed" || processState === "undone") return null;
  // What failed while it was to be done is why it is undone, not what its undo waits for.
  const open = steps.filter((step) => !(goal === "undo" && isFailedCall(step)));
  for (const state of urgency) {
    const found = open.find((step) => step.processState === state);
    if (found !== undefined) return found;
  }
  return null;
}

const isFailedCall = ({ kind, processState }: StepFacts): boolean =>
  stepKinds[kind].goal === "do" && processState === "error";

/** The task's own code, or what the step says that failed. */
function reasonOf({ faultCode, steps }: Facts): string {
  const failed = steps.find(({ processState }) => processState === "error");
  if (failed !== undefined) return `${countedFaultOf(failed)}, at ${stepOf(failed)}`;
  return faultCode === null ? "a reason that was not written down" : undoReason(faultCode);
}

const nothing = ({ paused, now }: Facts): string =>
  paused === null
    ? "It has nothing to wait for, which must not be: the Supervisor plans it anew within a minute; see holdfast verify."
    : `It is paused by ${pausedBy(paused, now)}.`;
