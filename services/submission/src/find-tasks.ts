import { limits } from "@holdfast/contracts";
import { familyOf, isId } from "@holdfast/domain";
import {
  type FoundTask,
  type RefusedSubmission,
  type SubmissionStore,
} from "@holdfast/state-store";
import { Type } from "typebox";
import type { Reader } from "./access/access.ts";
import type { Codes } from "./api/codes.ts";
import { codeAt, type Noun } from "./noun.ts";
import { Problem } from "./problem.ts";
import { readResult } from "./results/read-result.ts";
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
  401: ["auth.token_missing", "auth.token_wrong"],
  404: ["task.submission_refused", "task.unknown"],
  500: ["workflow.unusable"],
};

/** How a task is shown. */
interface ShownAs {
  readonly noun: Noun;
  readonly reader: Reader;
  readonly makeRoom: MakeRoom;
}

/** Tasks as they stand in the state store. */
export interface Tasks {
  /** Throws a 404 when there is no such task, or it is none of those that go by this noun. Reads nothing large. */
  mustExist(id: string, noun: Noun): Promise<void>;
  /**
   * The task, once there is room for it; without its payloads, if they are larger than what is read at a time. Throws
   * as `mustExist` does.
   */
  find(id: string, noun: Noun, makeRoom: MakeRoom): Promise<FoundTask>;
  /** Shows the task as its reader may see it. */
  show(id: string, as: ShownAs): Promise<ShownTask>;
  /** Adds its result to the task, unless that is too large for any answer. */
  withResult(shown: ShownTask, makeRoom: MakeRoom): Promise<TaskResource>;
}

type Store = Pick<
  SubmissionStore,
  "findTaskWithin" | "findWorkflow" | "findPayloads" | "findRefusal"
>;

export function findTasks(store: Store): Tasks {
  const tenant = "default";
  const within = async (id: string, noun: Noun, mostBytes: number) => {
    const found = isId(id) ? await store.findTaskWithin({ taskId: id, tenant, mostBytes }) : null;
    if (found === null && isId(id)) mustNotBeRefused(await store.findRefusal({ taskId: id }), noun);
    return mustBeOne(found, id, noun);
  };
  const find: Tasks["find"] = async (id, noun, makeRoom) => {
    let found = await within(id, noun, smallBytes);
    while (!found.isWhole && found.bytes <= wholeBytes) {
      // It may grow until it is read.
      const bytes = Math.min(wholeBytes, found.bytes + smallBytes);
      await makeRoom(bytes);
      found = await within(id, noun, bytes);
    }
    return found;
  };
  return {
    find,
    async mustExist(id, noun) {
      await within(id, noun, 0);
    },
    async show(id, { noun, reader, makeRoom }) {
      const found = await find(id, noun, makeRoom);
      const stored = await store.findWorkflow(found.task.workflow);
      if (stored === null) throw unusable();
      const { resource, ...rest } = taskResource(found, stored.definition, noun);
      return { ...rest, resource: forReader(reader, resource) };
    },
    withResult: (shown, makeRoom) => readResult(store, shown, makeRoom),
  };
}

/** Throws a 404 with the reason for a submission of the inbox that was refused. */
function mustNotBeRefused(refused: RefusedSubmission | null, noun: Noun): void {
  if (refused === null) return;
  const why = `${refused.detail} (${refused.code})`;
  throw new Problem(
    404,
    codeAt(noun, "task.submission_refused"),
    `The submission was refused: ${why}`,
  );
}

/** Throws a 404 when nothing was found, or none of those that go by this noun. */
function mustBeOne(found: FoundTask | null, id: string, noun: Noun): FoundTask {
  const { family, singular } = noun;
  if (found !== null && (family === null || familyOf(found.task.workflow) === family)) return found;
  throw new Problem(404, codeAt(noun, "task.unknown"), `There is no ${singular} ${id}.`);
}
