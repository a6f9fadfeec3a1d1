import { limits } from "@holdfast/contracts";
import { familyOf, type StateStore, type TaskRecord } from "@holdfast/state-store";
import { Type } from "typebox";
import type { Reader } from "./access/access.ts";
import { codeAt, type Noun } from "./noun.ts";
import { Problem } from "./problem.ts";
import { type MakeRoom, smallBytes } from "./room.ts";
import { forReader, type TaskResource, taskResource } from "./task-resource.ts";
import { unusable } from "./workflow-directory.ts";

/** An id that is none is answered as a task that there is not. */
export const TaskParams = Type.Object({
  id: Type.String({ maxLength: limits.name, description: "The id of the task." }),
});

export interface ById {
  readonly Params: { readonly id: string };
}

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
  /** The bytes of its history, found without reading it. Throws as `mustExist` does. */
  historyBytes(id: string, noun: Noun): Promise<number>;
  /** The task, once there is room for it. Throws as `mustExist` does. */
  find(id: string, noun: Noun, makeRoom: MakeRoom): Promise<TaskRecord>;
  /** The same, as its reader may see it. */
  show(id: string, as: ShownAs): Promise<TaskResource>;
}

type Store = Pick<StateStore, "findTaskWithin" | "findHistoryBytes" | "findWorkflow">;

export function findTasks(store: Store): Tasks {
  const tenant = "default";
  const within = async (id: string, noun: Noun, mostBytes: number) => {
    const found = isTaskId(id)
      ? await store.findTaskWithin({ taskId: id, tenant, mostBytes })
      : null;
    return mustBeOne(found, id, noun);
  };
  const find: Tasks["find"] = async (id, noun, makeRoom) => {
    let found = await within(id, noun, smallBytes);
    while (found.task === null) {
      // It may grow until it is read.
      const bytes = found.bytes + smallBytes;
      await makeRoom(bytes);
      found = await within(id, noun, bytes);
    }
    return found.task;
  };
  return {
    find,
    async mustExist(id, noun) {
      await within(id, noun, 0);
    },
    async historyBytes(id, noun) {
      const found = isTaskId(id) ? await store.findHistoryBytes({ taskId: id, tenant }) : null;
      return mustBeOne(found, id, noun).bytes;
    },
    async show(id, { noun, reader, makeRoom }) {
      const task = await find(id, noun, makeRoom);
      const stored = await store.findWorkflow(task.workflow);
      if (stored === null) throw unusable();
      return forReader(reader, taskResource(task, stored.definition, noun));
    },
  };
}

/** Throws a 404 when nothing was found, or none of those that go by this noun. */
function mustBeOne<Found extends { readonly workflow: string }>(
  found: Found | null,
  id: string,
  noun: Noun,
): Found {
  const { family, singular } = noun;
  if (found !== null && (family === null || familyOf(found.workflow) === family)) return found;
  throw new Problem(404, codeAt(noun, "task.unknown"), `There is no ${singular} ${id}.`);
}

export const isTaskId = (id: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id);
