import { contractHashes } from "@holdfast/contracts";
import {
  type AgentPlan,
  agentOf,
  asksAgent,
  type Change,
  isCall,
  nextStepState,
  type StepDefinition,
} from "@holdfast/domain";
import type { ReportedTaskEvent } from "@holdfast/state-store";
import {
  type AttemptFacts,
  attemptId,
  type Facts,
  isAtWork,
  isSkipped,
  nameOf,
  type StepFacts,
  type TaskFacts,
  timeOf,
} from "./facts.ts";
import type { World } from "./world.ts";

/** One move of a step, and what is true of it. */
interface Move {
  readonly world: World;
  readonly facts: TaskFacts;
  readonly known: StepFacts;
  readonly attempt: AttemptFacts | undefined;
  readonly change: Change;
  readonly report: ReportedTaskEvent;
  readonly witness: () => string;
}

interface Decided {
  readonly facts: TaskFacts;
  readonly change: Change;
  /** The event that the store was given. */
  readonly report: ReportedTaskEvent;
}

/** Holds one move of a step against the rules, and notes where the step stands. */
export function judgeChange(
  world: World,
  { attempts }: Pick<Facts, "attempts">,
  { facts, change, report }: Decided,
): void {
  const { step, action, from, reason } = change;
  const { taskId } = report;
  const witness = () => {
    const why = reason === null ? "" : ` (${reason})`;
    return `${nameOf(taskId, step.plan.name)}: ${action}, ${from} -> ${step.processState}${why}`;
  };
  world.tell("store", witness);
  const known = facts.steps.get(step.plan.name);
  if (known === undefined) return;
  const attempt = attempts.get(attemptId(taskId, step.plan.name, step.attempt));
  const move = { world, facts, known, attempt, change, report, witness };
  checkMove(move);
  checkStart(move);
  checkCounter(move);
  checkCause(move);
  if (action === "complete") checkCompletion(move);
}

function checkMove({ world: { accuse }, known, witness, change }: Move): void {
  const { step, action, from } = change;
  if (nextStepState(action, from) !== step.processState) accuse("every move is legal", witness);
  if (known.state !== from) {
    accuse("the history of a step is unbroken", () => `${witness()}, but it was ${known.state}`);
  }
  if (step.attempt !== known.attempt) accuse("only a claim counts an attempt", witness);
  if (known.mayHaveEffect && !step.mayHaveEffect) {
    accuse("a possible effect is never forgotten", witness);
  }
  known.state = step.processState;
  known.mayHaveEffect = step.mayHaveEffect;
}

function checkStart({ world, facts, known, witness, change }: Move): void {
  const { accuse } = world;
  const { step, action } = change;
  const { definition } = known;
  if (step.plan.kind === "undo" || !["plan", "open", "skip"].includes(action)) return;
  if (isSkipped(facts, definition) !== (action === "skip")) {
    accuse("a step is done exactly if its condition holds", witness);
  }
  for (const before of definition.after) {
    const state = facts.steps.get(before)?.state;
    if (state === "processed" || state === "skipped") continue;
    accuse(
      "a step starts when those before it are done",
      () => `${witness()}: ${before} is ${state}`,
    );
  }
}

function failuresOf(definition: StepDefinition, kind: AgentPlan["kind"]): number {
  if (!isCall(definition)) return 0;
  return (kind === "undo" ? definition.undo : definition)?.retry.failures ?? 0;
}

/** What is counted as a failure, up to the threshold of its policy. */
const isCounted = ({ action, reason }: Change): boolean =>
  action === "retry" ||
  action === "coolDown" ||
  (action === "fail" && reason !== "step.request_unreadable");

function checkCounter({ world: { accuse }, known, witness, change }: Move): void {
  const { step, action } = change;
  const threshold = asksAgent(step.plan) ? failuresOf(known.definition, step.plan.kind) : 0;
  const isReset = action === "complete" || action === "resubmit" || action === "resolve";
  const counted = isCounted(change)
    ? Math.min(known.failureCount + 1, threshold)
    : known.failureCount;
  if (step.failureCount !== (isReset ? 0 : counted)) {
    const counts = () => `${witness()}, ${known.failureCount} -> ${step.failureCount}`;
    accuse("a failure counts once, up to the threshold", counts);
  }
  known.failureCount = step.failureCount;
}

/**
 * Milliseconds that the end of an outage and the end of an attempt must lie apart for anything to
 * tell which was first.
 */
const apart = 700;

/**
 * Whether an Agent had an answer, and the broker took none until it had to be silent: at the healing
 * at the latest, from which on only a process that stands still says nothing.
 */
function isUnanswered({ healedAt }: World, attempt: AttemptFacts): boolean {
  const { unansweredUntil } = attempt;
  if (unansweredUntil === null) return false;
  const until = Math.min(unansweredUntil, healedAt ?? unansweredUntil);
  return Math.abs(until - timeOf(attempt)) > apart;
}

/** What is counted as a failure must have been one, and what was one must be counted. */
function checkCause(move: Move): void {
  const {
    world,
    attempt,
    witness,
    change,
    report: { event },
  } = move;
  const { accuse } = world;
  const { step, action } = change;
  // An Agent that says that it is at work on it has had it from the broker.
  const isKnown = attempt?.isConfirmed === true || (attempt?.signs.length ?? 0) > 0;
  if (isCounted(change) && event.kind === "expired" && !isKnown) {
    accuse("what the broker never had is no failure", witness);
  }
  if (isCounted(change) && event.kind === "expired" && attempt?.isAnswerWaiting === true) {
    accuse("what was answered is not counted as silence", witness);
  }
  if (isCounted(change) && event.kind === "expired" && attempt && isUnanswered(world, attempt)) {
    accuse(
      "what an Agent cannot say while the broker takes nothing is not counted as silence",
      witness,
    );
  }
  if (isCounted(change) && event.kind === "failed" && event.paces === true && event.transient) {
    accuse("a service that says when to come back has not failed", witness);
  }
  if (isCounted(change) && isByAnotherContract(move)) {
    accuse("what an instance cannot read is no failure", witness);
  }
  // With one step that fails for good, others are cancelled whose last attempt may be young.
  if (event.kind === "expired" && event.step === step.plan.name && attempt !== undefined) {
    // What is published may be a fraction of a millisecond older than it says.
    if (world.timeline.now + 1 < timeOf(attempt)) accuse("every attempt has its time", witness);
  }
  if (isCounted(change) && event.kind === "neverStarted") {
    accuse("what no Agent took is no failure", witness);
  }
  const isInDoubt = attempt?.isResent === true || action === "cancel";
  if (event.kind === "neverStarted" && isInDoubt && attempt && isAtWork(attempt, world)) {
    accuse("what an Agent is at work on is not taken for unbegun", witness);
  }
  const isTaken = attempt !== undefined && attempt.takenBy.size > 0;
  if (event.kind === "neverStarted" && isTaken && !step.mayHaveEffect) {
    accuse("what an Agent took may have had an effect", witness);
  }
  const isNoFailure = attempt?.outcomes.some(
    (one) => one.kind === "failed" && (!one.attempted || one.retryAfterMs !== undefined),
  );
  if (action === "requeue" && event.kind === "failed" && isNoFailure !== true) {
    accuse("a failed attempt is counted", witness);
  }
}

/** Whether an instance refused the step by another contract than the workflow was made with. */
function isByAnotherContract({ facts, change: { step }, report: { event } }: Move): boolean {
  if (event.kind !== "failed" || event.contract === undefined) return false;
  const { plan, agent } = step;
  if (event.step !== plan.name || !asksAgent(plan)) return false;
  const needed = contractHashes(facts.definition)[`${agentOf({ plan, agent })}.${plan.operation}`];
  return event.contract !== needed;
}

function checkCompletion({ world: { accuse }, attempt, witness, report: { output } }: Move): void {
  const given = JSON.stringify(output);
  const isGiven = attempt?.outcomes.some(
    (one) => one.kind === "completed" && JSON.stringify(one.output) === given,
  );
  if (isGiven !== true) accuse("only what its Agent completed is complete", witness);
}
