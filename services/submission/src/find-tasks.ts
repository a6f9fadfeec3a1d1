import { limits } from "@holdfast/contracts";
import { familyOf, type StateStore, type TaskRecord } from "@holdfast/state-store";
import { Type } from "typebox";
import type { Reader } from "./access/access.ts";
import { codeAt, type Noun } from "./noun.ts";
import { Problem } from "./problem.ts";
import { forReader, type TaskResource, taskResource } from "./task-resource.ts";
import { unusable } from "./workflow-directory.ts";

/** An id that is none is answered as a task that there is not. */
export const TaskParams = Type.Object({
  id: Type.String({ maxLength: limits.name, description: "The id of the task." }),
});

export interface ById {
  readonly Params: { readonly id: string };
}

/** Tasks as they stand in the state store. */
export interface Tasks {
  /** Throws a 404 when there is no such task, or it is none of those that go by this noun. */
  find(id: string, noun: Noun): Promise<TaskRecord>;
  /** The same, as its reader may see it. */
  show(id: string, as: { readonly noun: Noun; readonly reader: Reader }): Promise<TaskResource>;
}

export function findTasks(store: Pick<StateStore, "findTask" | "findWorkflow">): Tasks {
  const find = async (id: string, noun: Noun): Promise<TaskRecord> => {
    const { family, singular } = noun;
    const task = isTaskId(id) ? await store.findTask({ taskId: id, tenant: "default" }) : null;
    if (task !== null && (family === null || familyOf(task.workflow) === family)) return task;
    throw new Problem(404, codeAt(noun, "task.unknown"), `There is no ${singular} ${id}.`);
  };
  return {
    find,
    async show(id, { noun, reader }) {
      const task = await find(id, noun);
      const stored = await store.findWorkflow(task.workflow);
      if (stored === null) throw unusable();
      return forReader(reader, taskResource(task, stored.definition, noun));
    },
  };
}

export const isTaskId = (id: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id);
