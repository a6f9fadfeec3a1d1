import { limits } from "@holdfast/contracts";
import { familyOf, isId, type Json, refsOf, stepOfRef } from "@holdfast/domain";
import type {
  FoundTask,
  RefusedSubmission,
  SubmissionStore,
  TaskRecord,
} from "@holdfast/state-store";
import { Type } from "typebox";
import type { Reader } from "./access/access.ts";
import type { Codes } from "./api/codes.ts";
import { tokenRefusals } from "./bearer.ts";
import { Problem } from "./problem.ts";
import { mostResultBytes, resultOf, tooLarge } from "./results/result-of.ts";
import { type MakeRoom, smallBytes, wholeBytes } from "./room.ts";
import { forReader, type ShownTask, type TaskResource, taskResource } from "./task-resource.ts";
import { unusable } from "./workflow-directory.ts";

/** An id that is none is answered as a task that there is not. */
export const TaskParams = Type.Object({
  id: Type.String({ maxLength: limits.name, description: "The id of the task." }),
});

export interface ById {
  readonly Params: { readonly id: string };
}

/** Why a route to one task has none. 401 only where operators alone see tasks. */
export const codesOfTask: Codes = {
  401: [...tokenRefusals],
  404: ["task.submission_refused", "task.unknown"],
  500: ["workflow.unusable"],
};

/** How a task is shown. */
interface ShownAs {
  readonly reader: Reader;
  /** The id of the principal that reads it; null or absent: it is unknown. */
  readonly principal?: string | null;
  readonly makeRoom: MakeRoom;
}

/** Tasks as they stand in the state store. */
export interface Tasks {
  /** Throws a 404 when there is no such task. Reads nothing large. */
  mustExist(id: string): Promise<void>;
  /** The task without its payloads. Throws as `mustExist` does. */
  glance(id: string): Promise<TaskRecord>;
  /** The task with its steps, without its payloads. Throws as `mustExist` does. */
  outline(id: string): Promise<TaskRecord>;
  /**
   * The task, once there is room for it; without its payloads, if they are larger than what is read
   * at a time. Throws as `mustExist` does.
   */
  find(id: string, makeRoom: MakeRoom): Promise<FoundTask>;
  /**
   * The id of the task of a workflow that has a business key, or had it last. Throws a 404 where
   * there is none.
   */
  idByKey(asked: { readonly workflow: string; readonly key: string }): Promise<string>;
  /** Shows the task as its reader may see it. */
  show(id: string, as: ShownAs): Promise<ShownTask>;
  /** Adds its result to the task, unless that is too large for any answer. */
  withResult(shown: ShownTask, makeRoom: MakeRoom): Promise<TaskResource>;
}

type Store = Pick<
  SubmissionStore,
  "findTaskByKey" | "findTaskWithin" | "findWorkflow" | "findPayloads" | "findRefusal"
>;

export function findTasks(store: Store): Tasks {
  const tenant = "default";
  const within = async (id: string, mostBytes: number) => {
    const found = isId(id) ? await store.findTaskWithin({ taskId: id, tenant, mostBytes }) : null;
    if (found === null && isId(id)) mustNotBeRefused(await store.findRefusal({ taskId: id }));
    return mustBeOne(found, id);
  };
  const find: Tasks["find"] = async (id, makeRoom) => {
    let found = await within(id, smallBytes);
    while (!found.isWhole && found.bytes <= wholeBytes) {
      // It may grow until it is read.
      const bytes = Math.min(wholeBytes, found.bytes + smallBytes);
      await makeRoom(bytes);
      found = await within(id, bytes);
    }
    return found;
  };
  return {
    find,
    async mustExist(id) {
      await within(id, 0);
    },
    glance: async (id) => (await within(id, 0)).task,
    outline: async (id) => (await within(id, 1)).task,
    async idByKey({ workflow, key }) {
      const found = await store.findTaskByKey({ tenant, family: familyOf(workflow), key });
      if (found !== null) return found;
      throw new Problem(
        404,
        "task.unknown",
        `There is no task of ${workflow} with the key ${key}.`,
      );
    },
    async show(id, { reader, principal = null, makeRoom }) {
      const found = await find(id, makeRoom);
      const stored = await store.findWorkflow(found.task.workflow);
      if (stored === null) throw unusable();
      const { resource, ...rest } = taskResource(found, stored.definition);
      return { ...rest, resource: forReader({ reader, principal }, resource) };
    },
    withResult: (shown, makeRoom) => readResult(store, shown, makeRoom),
  };
}

/** Throws a 404 with the reason for a submission of the inbox that was refused. */
function mustNotBeRefused(refused: RefusedSubmission | null): void {
  if (refused === null) return;
  const why = `${refused.detail} (${refused.code})`;
  throw new Problem(404, "task.submission_refused", `The submission was refused: ${why}`);
}

/** Throws a 404 when nothing was found. */
function mustBeOne(found: FoundTask | null, id: string): FoundTask {
  if (found !== null) return found;
  throw new Problem(404, "task.unknown", `There is no task ${id}.`);
}

/** Adds the result to a processed task whose payloads were not read: it may need few of them. */
async function readResult(
  store: Pick<SubmissionStore, "findPayloads">,
  { resource, definition }: ShownTask,
  makeRoom: MakeRoom,
): Promise<TaskResource> {
  const { omitted = [], ...task } = resource;
  if (!(omitted.includes("payloads") && omitted.includes("result"))) return resource;
  const names = [...new Set(refsOf(definition.output).map(stepOfRef))];
  await makeRoom(mostResultBytes);
  const texts = await store.findPayloads({ taskId: task.id, names, most: mostResultBytes });
  const bytes = texts.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0);
  if (texts.length < names.length || bytes > mostResultBytes) return resource;
  const values = new Map(texts.map(({ name, payload }) => [name, parse(payload)]));
  const input = values.get(null) ?? null;
  const steps = task.steps.map(({ name }) => ({ name, output: values.get(name) ?? null }));
  const result = resultOf({ input, steps }, { definition, bytes });
  if (result === tooLarge) return resource;
  return { ...task, result, omitted: omitted.filter((part) => part !== "result") };
}

const parse = (text: string | null): Json => (text === null ? null : (JSON.parse(text) as Json));
