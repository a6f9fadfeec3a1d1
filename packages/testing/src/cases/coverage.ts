import {
  type ApprovalDefinition,
  type FaultPolicy,
  isCall,
  type SignalDefinition,
  type StepDefinition,
  type StepPolicy,
  undoNameOf,
  type WaitDefinition,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { StoredTask } from "../simulator/store/memory-task.ts";
import type { TaskView } from "../task-view.ts";
import type { Sent } from "./outside.ts";

/** The ways that tasks of a workflow can take, as sentences about its steps. */
export interface Paths {
  /** The paths of tasks that are done: each step is done, skipped, retried, or halts the task. */
  readonly paths: readonly string[];
  /** The paths of tasks that are undone: from where, and what becomes of each undo. */
  readonly undoPaths: readonly string[];
}

/** How much of a workflow its cases have taken. */
export interface Coverage {
  readonly workflow: string;
  readonly paths: Taken;
  readonly undoPaths: Taken;
}

interface Taken {
  readonly all: number;
  readonly taken: number;
  /** What no case takes. */
  readonly missing: readonly string[];
}

const done = (step: string) => `${step} is done`;
const signalled = (step: string) => `${step} gets its signal`;
const signalledEarly = (step: string) => `${step} gets a signal that came before it`;
const signalledTwice = (step: string) => `${step} gets its signal twice`;
const withoutSignal = (step: string) => `${step} goes on without its signal`;
const approved = (step: string) => `${step} is approved`;
const approvedInTheEnd = (step: string) => `${step} is approved by its deadline`;
const rejected = (step: string) => `${step} is rejected`;
const undecided = (step: string) => `${step} is not decided in time`;
const skipped = (step: string) => `${step} is skipped`;
const retried = (step: string) => `${step} is retried`;
const halts = (step: string) => `${step} halts the task`;
const undoneFrom = (failure: string) => `${failure} and the task is undone`;
const haltedBy = (failure: string) => `${failure} and halts the task`;
const undoneInDoubt = (step: string) => `${step} is undone although its outcome is unknown`;
const undone = (step: string) => `${step} is undone`;
const undoHalts = (step: string) => `the undo of ${step} fails for good`;
const cutShort = (step: string) => `${step} is cut short by an undo`;
const limitPassed = "the limit of the task passes";

/** All paths of a workflow. */
export function pathsOf({ steps, completeWithin }: WorkflowDefinition): Paths {
  const paths = steps.flatMap((step) => [
    ...endsOf(step),
    ...(step.onlyIf === null ? [] : [skipped(step.name)]),
    ...(isCall(step) && mayRetry(step) ? [retried(step.name)] : []),
    ...(mayDo(step, "halt") ? haltsOf(step) : []),
  ]);
  const isLimited = completeWithin !== null;
  const turns = isLimited || steps.some((step) => mayDo(step, "undo"));
  const undoPaths = steps.flatMap((step) => [
    ...(mayDo(step, "undo") ? failuresOf(step).map(undoneFrom) : []),
    ...(!isCall(step) && turns ? [cutShort(step.name)] : []),
    ...(!isCall(step) || step.undo === null || !turns
      ? []
      : [
          ...(mayBeUndone(step.name, steps, isLimited) ? [undone(step.name)] : []),
          undoneInDoubt(step.name),
          undoHalts(step.name),
        ]),
  ]);
  return { paths, undoPaths: isLimited ? [...undoPaths, limitPassed] : undoPaths };
}

/** How a step can be done. */
function endsOf(step: StepDefinition): readonly string[] {
  switch (step.kind) {
    case undefined:
    case "wait":
      return [done(step.name)];
    case "signal":
      return endsOfSignal(step);
    case "approval": {
      const { name, within, onDeadline } = step;
      const ends = within !== null && onDeadline === "approve";
      return [approved(name), ...(ends ? [approvedInTheEnd(name)] : [])];
    }
  }
}

/** How a step can fail for good. */
function failuresOf(step: StepDefinition): readonly string[] {
  if (!("audience" in step)) return [`${step.name} fails`];
  const { name, within, onDeadline } = step;
  const lapses = within !== null && onDeadline !== "approve";
  return [rejected(name), ...(lapses ? [undecided(name)] : [])];
}

/** How a step can halt its task. */
const haltsOf = (step: StepDefinition): readonly string[] =>
  "audience" in step ? failuresOf(step).map(haltedBy) : [halts(step.name)];

/** How a step can be done that waits for a signal. None comes before the task. */
const endsOfSignal = ({ name, after, within, onDeadline }: SignalDefinition): readonly string[] => [
  signalled(name),
  signalledTwice(name),
  ...(after.length === 0 ? [] : [signalledEarly(name)]),
  ...(within === null || onDeadline === "fail" ? [] : [withoutSignal(name)]),
];

type Steps = WorkflowDefinition["steps"];

const policiesOf = (policy: StepPolicy): readonly (StepPolicy | FaultPolicy)[] => [
  policy,
  ...(policy.faults ?? []),
];

const mayDo = (step: StepDefinition, what: StepPolicy["onFailure"]): boolean =>
  isCall(step)
    ? policiesOf(step).some(({ onFailure }) => onFailure === what)
    : mayFail(step) && step.onFailure === what;

/** A wait fails only if a value is to say when it ends, or a signal has to come in time. */
function mayFail(step: WaitDefinition | SignalDefinition | ApprovalDefinition): boolean {
  switch (step.kind) {
    case "wait":
      return "until" in step;
    case "signal":
      return step.within !== null && step.onDeadline === "fail";
    // One of the audience may reject it.
    case "approval":
      return true;
  }
}

const mayRetry = (policy: StepPolicy): boolean =>
  policiesOf(policy).some(({ retry, coolDown }) => (retry?.failures ?? 1) > 1 || coolDown != null);

/** A step that is done is undone if a step that is not before it can fail. */
function mayBeUndone(name: string, steps: Steps, isLimited: boolean): boolean {
  const before = stepsBefore(name, steps);
  return (
    isLimited ||
    steps.some((other) => other.name !== name && !before.has(other.name) && mayDo(other, "undo"))
  );
}

function stepsBefore(name: string, steps: Steps): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (one: string): void => {
    for (const earlier of steps.find((step) => step.name === one)?.after ?? []) {
      if (found.has(earlier)) continue;
      found.add(earlier);
      add(earlier);
    }
  };
  add(name);
  return found;
}

interface Seen {
  readonly task: TaskView;
  readonly stored: Pick<StoredTask, "signals" | "decisions">;
  readonly sent: Sent;
}

/** The paths that a task has taken. */
export function pathsTaken({ steps }: WorkflowDefinition, seen: Seen): ReadonlySet<string> {
  const { task } = seen;
  const did = (step: string, ...actions: readonly string[]) =>
    task.history.some((move) => move.step === step && actions.includes(move.action));
  const taken = steps.flatMap((step) => {
    const { name } = step;
    const hasFailed = did(name, "fail", "lapse");
    const state = task.steps[name]?.state;
    const undo = task.steps[undoNameOf(name)]?.state;
    const wasDone = did(name, "complete", "fire");
    return [
      ...(wasDone ? endsTaken(step, seen) : []),
      ...(did(name, "skip") ? [skipped(name)] : []),
      ...(did(name, "retry", "coolDown") ? [retried(name)] : []),
      ...(hasFailed && task.goal === "do" ? haltsTaken(step, seen) : []),
      ...(hasFailed && task.goal === "undo" && state === "error"
        ? failuresTaken(step, seen).map(undoneFrom)
        : []),
      ...(did(name, "open") && state === "cancelled" ? [cutShort(name)] : []),
      ...(undo === "processed" ? [wasDone ? undone(name) : undoneInDoubt(name)] : []),
      ...(undo === "error" ? [undoHalts(name)] : []),
    ];
  });
  const hasLimitPassed = task.faultCode === "task.expired";
  return new Set(hasLimitPassed ? [...taken, limitPassed] : taken);
}

/** How a step was done. */
function endsTaken(step: StepDefinition, seen: Seen): readonly string[] {
  const { name } = step;
  switch (step.kind) {
    case undefined:
    case "wait":
      return [done(name)];
    case "signal":
      return signalsTaken(name, seen);
    case "approval": {
      const { fired } = Object(seen.task.steps[name]?.output) as { readonly fired?: unknown };
      return [fired === "deadline" ? approvedInTheEnd(name) : approved(name)];
    }
  }
}

/** How a step failed for good. */
function failuresTaken(step: StepDefinition, { stored }: Seen): readonly string[] {
  const { name } = step;
  if (!("audience" in step)) return [`${name} fails`];
  const isRejected = stored.decisions.some((one) => one.step === name && one.decision === "reject");
  return [isRejected ? rejected(name) : undecided(name)];
}

/** How a step halted its task. */
const haltsTaken = (step: StepDefinition, seen: Seen): readonly string[] =>
  "audience" in step ? failuresTaken(step, seen).map(haltedBy) : [halts(step.name)];

/** How a step was done that waited for a signal. */
function signalsTaken(step: string, { stored: { signals }, sent }: Seen): readonly string[] {
  const signal = signals.find(({ takenBy }) => takenBy === step);
  if (signal === undefined) return [withoutSignal(step)];
  return [
    signalled(step),
    ...(sent.early.has(signal.id) ? [signalledEarly(step)] : []),
    ...(sent.repeated.has(signal.id) ? [signalledTwice(step)] : []),
  ];
}

/** What all cases of a workflow have taken together. */
export function coverageOf(
  definition: WorkflowDefinition,
  taken: Iterable<ReadonlySet<string>>,
): Coverage {
  const all = new Set([...taken].flatMap((one) => [...one]));
  const { paths, undoPaths } = pathsOf(definition);
  const count = (names: readonly string[]): Taken => {
    const missing = names.filter((name) => !all.has(name));
    return { all: names.length, taken: names.length - missing.length, missing };
  };
  return { workflow: definition.name, paths: count(paths), undoPaths: count(undoPaths) };
}
