import { limits } from "@holdfast/contracts";
import {
  type ApprovalDefinition,
  excludedFrom,
  isId,
  type Json,
  lookupIn,
  refsOf,
  stepOfRef,
  type TaskValues,
  type Template,
} from "@holdfast/domain";
import type { SubmissionStore, TaskRecord } from "@holdfast/state-store";
import type { Principal } from "../access/principal.ts";
import type { Tasks } from "../find-tasks.ts";
import { Problem } from "../problem.ts";
import { filledWithin, tooLarge } from "../results/result-of.ts";
import type { MakeRoom } from "../room.ts";
import { type OpenWorkflow, unusable, type WorkflowDirectory } from "../workflow-directory.ts";

export interface ApprovalDependencies {
  readonly store: Pick<
    SubmissionStore,
    "findApprovals" | "findDecisions" | "findPayloads" | "recordDecision"
  >;
  readonly tasks: Pick<Tasks, "outline">;
  readonly directory: Pick<WorkflowDirectory, "find" | "known">;
}

/** A step that people decide, of one task. */
export interface ApprovalStep {
  readonly taskId: string;
  readonly submittedBy: string | null;
  readonly workflow: OpenWorkflow;
  readonly definition: ApprovalDefinition;
}

/** A step that people decide, with how its task stands. */
export interface FoundStep extends ApprovalStep {
  readonly task: TaskRecord;
}

/**
 * Finds a step that people decide. Throws a 404 where there is no such task, or its workflow has no
 * such step.
 */
export async function findStep(
  { tasks, directory }: Pick<ApprovalDependencies, "tasks" | "directory">,
  { taskId, step }: { readonly taskId: string; readonly step: string },
): Promise<FoundStep> {
  const task = await tasks.outline(taskId);
  const workflow = await workflowOf(directory, task.workflow);
  const definition = approvalIn(workflow, step);
  if (definition === null) throw unknownApproval(step, workflow);
  return { taskId: task.taskId, submittedBy: task.submittedBy, workflow, definition, task };
}

/** The version of a workflow that a task has: it is stored for as long as the task is. */
export async function workflowOf(
  directory: ApprovalDependencies["directory"],
  name: string,
): Promise<OpenWorkflow> {
  return directory.known(name) ?? (await directory.find(name, () => false));
}

const isApproval = (step: object): step is ApprovalDefinition => "audience" in step;

/** The step of a workflow, if people decide it; null: they do not, or there is none. */
export const approvalIn = (
  { definition: { steps } }: Pick<OpenWorkflow, "definition">,
  name: string,
): ApprovalDefinition | null => steps.filter(isApproval).find((step) => step.name === name) ?? null;

function unknownApproval(asked: string, { name, definition }: OpenWorkflow): Problem {
  const names = definition.steps.filter(isApproval).map((step) => step.name);
  const which =
    names.length === 0
      ? "It has no step that people decide."
      : `People decide these: ${names.join(", ")}.`;
  const shown = asked.slice(0, limits.name);
  return new Problem(404, "approval.unknown", `${name} has no approval ${shown}. ${which}`);
}

/** Bytes of the values of a task that templates of one step may be made of. */
const mostValues = 3 * 1024 * 1024;

interface ReadValues {
  readonly values: TaskValues;
  readonly bytes: number;
}

/** Reads what templates refer to, once there is room for it. Null: it is too large. */
async function valuesFor(
  { store }: Pick<ApprovalDependencies, "store">,
  { taskId, templates }: { readonly taskId: string; readonly templates: readonly Template[] },
  makeRoom: MakeRoom,
): Promise<ReadValues | null> {
  const names = [...new Set(templates.flatMap(refsOf).map(stepOfRef))];
  if (names.length === 0) return { values: { input: null, outputs: new Map() }, bytes: 0 };
  if (!isId(taskId)) throw unusable();
  await makeRoom(smallValues);
  let texts = await store.findPayloads({ taskId, names, most: smallValues });
  if (texts.length < names.length) {
    await makeRoom(mostValues);
    texts = await store.findPayloads({ taskId, names, most: mostValues });
  }
  const bytes = texts.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0);
  if (texts.length < names.length || bytes > mostValues) return null;
  const found = new Map(texts.map(({ name, payload }) => [name, parsed(payload)] as const));
  const outputs = texts.flatMap(({ name, payload }) =>
    name === null || payload === null ? [] : [[name, parsed(payload)] as const],
  );
  return { values: { input: found.get(null) ?? null, outputs: new Map(outputs) }, bytes };
}

const smallValues = 64 * 1024;

const parsed = (text: string | null): Json => (text === null ? null : (JSON.parse(text) as Json));

/** What stands in the place of what is too large for an answer. */
export interface Shown {
  /** The ids of those who may not decide; null: it is not known who they are. */
  readonly excluded: readonly string[] | null;
  /** What those see who decide; undefined: it is too large for this answer. */
  readonly show: Json | undefined;
}

/** Reads who may not decide about a step, and what the others see: `most` bytes of it. */
export async function readShown(
  deps: Pick<ApprovalDependencies, "store">,
  { taskId, submittedBy, definition }: ApprovalStep,
  { makeRoom, most }: { readonly makeRoom: MakeRoom; readonly most: number },
): Promise<Shown> {
  const { show, excludes } = definition;
  const asked = { taskId, templates: [show, ...excludes] };
  const found = await valuesFor(deps, asked, makeRoom);
  if (found === null) return { excluded: null, show: undefined };
  const { bytes } = found;
  const lookup = lookupIn(found.values);
  const filled = filledWithin(show, { lookup, bytes, most });
  return {
    excluded: excludedBy({ submittedBy, definition }, excludedFrom(excludes, lookup)),
    show: filled === tooLarge ? undefined : filled,
  };
}

/** Reads who may not decide about a step; null: it is not known who they are. */
export async function readExcluded(
  deps: Pick<ApprovalDependencies, "store">,
  { taskId, submittedBy, definition }: ApprovalStep,
  makeRoom: MakeRoom,
): Promise<readonly string[] | null> {
  const { excludes } = definition;
  const found = await valuesFor(deps, { taskId, templates: excludes }, makeRoom);
  if (found === null) return null;
  return excludedBy({ submittedBy, definition }, excludedFrom(excludes, lookupIn(found.values)));
}

/** Who may not decide. Where it is not known who submitted the task, anyone might be that. */
function excludedBy(
  { submittedBy, definition }: Pick<ApprovalStep, "submittedBy" | "definition">,
  others: readonly string[] | null,
): readonly string[] | null {
  if (others === null || !definition.excludesSubmitter) return others;
  return submittedBy === null ? null : [submittedBy, ...others];
}

/** Whether a principal is known to be none of those who may not decide. */
export const isExcluded = ({ id }: Pick<Principal, "id">, excluded: readonly string[]): boolean =>
  excluded.includes(id);
