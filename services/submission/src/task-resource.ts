import {
  type Json,
  type Source,
  sourceOfMove,
  undoNameOf,
  type WorkflowDefinition,
} from "@holdfast/domain";
import {
  type FoundTask,
  type HistoryEntry,
  type StepRecord,
  type TaskRecord,
  unusableActor,
} from "@holdfast/state-store";
import type { Reader } from "./access/access.ts";
import { isApplicationName } from "./access/application-names.ts";
import { isOperatorName } from "./access/operator-names.ts";
import { isProcessName, publicName } from "./public-names.ts";
import { resultOf, tooLarge } from "./results/result-of.ts";

/** A task as the application that submitted it sees it. */
export interface TaskResource extends Omit<TaskRecord, "taskId" | "processState" | "steps"> {
  readonly id: string;
  readonly state: TaskRecord["processState"];
  /** What the workflow results in; null until the task is processed. */
  readonly result: Json;
  /** The steps in the order of the workflow, each followed by what undoes it. */
  readonly steps: readonly ShownStep[];
  /** What is null because it is too large for this answer; absent: nothing is. */
  readonly omitted?: readonly Omitted[];
}

/** A step, with what it waits for. */
interface ShownStep extends Omit<StepRecord, "awaiting"> {
  readonly awaiting: (NonNullable<StepRecord["awaiting"]> & AwaitedBy) | null;
}

/** The name of the signal, or those who decide; null: the step does not wait for such. */
interface AwaitedBy {
  readonly signal: string | null;
  readonly audience: string | null;
}

/** `payloads`: the input, the outputs of the steps, and what was said of their failures. */
type Omitted = "payloads" | "result";

/** A task as it is shown, with what is needed to add what was left out. */
export interface ShownTask {
  readonly resource: TaskResource;
  readonly definition: WorkflowDefinition;
}

export function taskResource(
  { task, bytes, isWhole }: FoundTask,
  definition: WorkflowDefinition,
): ShownTask {
  const { taskId: id, processState: state, input, steps, ...rest } = task;
  const names = definition.steps.flatMap(({ name }) => [name, undoNameOf(name)]);
  const found = state === "processed" && isWhole ? resultOf(task, { definition, bytes }) : null;
  const omitted: readonly Omitted[] = [
    ...(isWhole ? [] : (["payloads"] as const)),
    ...(found === tooLarge || (!isWhole && state === "processed") ? (["result"] as const) : []),
  ];
  const resource = {
    id,
    state,
    ...rest,
    result: found === tooLarge ? null : found,
    input,
    steps: steps
      .toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
      .map(({ lockedBy, awaiting, ...step }) => ({
        ...step,
        lockedBy: lockedBy && publicName(lockedBy),
        awaiting: awaiting && { ...awaiting, ...awaitedBy(step, definition) },
      })),
    ...(omitted.length === 0 ? {} : { omitted }),
  };
  return { resource, definition };
}

function awaitedBy({ name }: Pick<StepRecord, "name">, workflow: WorkflowDefinition): AwaitedBy {
  const step = workflow.steps.find((one) => one.name === name);
  return {
    signal: step !== undefined && "signal" in step ? step.signal : null,
    audience: step !== undefined && "audience" in step ? step.audience : null,
  };
}

/** What strangers read in the place of a name, and of an operator's words. */
const anOperator = "operator";
const anApplication = "application";
const aPrincipal = "principal";
const operatorsWords = "An operator paused it.";

/** Who reads a task. */
interface TaskReader {
  readonly reader: Reader;
  /** The id of the principal that it is; null: it is unknown. */
  readonly principal: string | null;
}

/**
 * A task as its reader may see it: to strangers an operator has neither name nor words, and who
 * submitted it sees that alone.
 */
export function forReader({ reader, principal }: TaskReader, task: TaskResource): TaskResource {
  if (reader === "operator") return task;
  const { paused, submittedBy } = task;
  const isOwn = submittedBy !== null && submittedBy === principal;
  const isShown = paused === null || paused.by === unusableActor;
  return {
    ...task,
    submittedBy: isOwn ? submittedBy : null,
    paused: isShown ? paused : { ...paused, by: anOperator, reason: operatorsWords },
  };
}

type Entry = Omit<HistoryEntry, "at"> & { readonly at: unknown };

/**
 * An entry of a history as it is shown: with who said what it counted as a failure, or began an
 * undo for.
 */
type EntryResource<Of extends Entry> = Of & { readonly source: Source | null };

/** One entry of a task's history, as its reader may see it. A note is an operator's words. */
export function historyResource<Of extends Entry>(entry: Of, reader: Reader): EntryResource<Of> {
  const { actor, note } = entry;
  const source = sourceOfMove(entry);
  if (reader === "operator") return { ...entry, source, actor: nameFor(reader, actor) };
  return {
    ...entry,
    source,
    actor: note !== null ? anOperator : nameFor(reader, actor),
    note: null,
  };
}

/** Who did something, as the reader may see it. */
function nameFor(reader: Reader, name: string): string {
  if (reader === "operator") return publicName(name);
  return isOperatorName(name) ? anOperator : strangersName(name);
}

/** Who sent a signal, as its reader may see it: a principal reads its own id. */
export function senderFor({ reader, principal }: TaskReader, name: string): string {
  if (reader === "operator" || name === principal) return nameFor(reader, name);
  const isKnown = isOperatorName(name) || isApplicationName(name) || isProcessName(name);
  return isKnown ? nameFor(reader, name) : aPrincipal;
}

/** The name that strangers read: an application has neither that of its login nor its own. */
const strangersName = (actor: string): string =>
  isApplicationName(actor) ? anApplication : publicName(actor);
