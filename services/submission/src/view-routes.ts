import type { StateStore } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { describeAt, ref, taskAt } from "./api/describe.ts";
import { type Door, doorsOf } from "./doors.ts";
import { type ById, TaskParams, type Tasks } from "./find-tasks.ts";
import { historyResource } from "./task-resource.ts";
import type { WorkflowDirectory } from "./workflow-directory.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "findEvents">;
  readonly directory: WorkflowDirectory;
  readonly tasks: Tasks;
}

/** Shows tasks to those who know their ids: submitters and operators. */
export function viewRoutes(app: FastifyInstance, deps: Dependencies): void {
  for (const door of doorsOf(deps.directory)) {
    taskRoute(app, door, deps);
    historyRoute(app, door, deps);
  }
}

const paramsOf = (door: Door) => Type.Object({ ...door.params, ...TaskParams.properties });

function taskRoute(app: FastifyInstance, door: Door, { tasks }: Dependencies): void {
  const schema = {
    ...describeAt(door, {
      id: "getTask",
      summary: `The ${door.noun.one}, its state, its result and its steps.`,
      description: "Its ETag is its version: operators send it back as If-Match.",
      isOpen: true,
      answers: { "200": { words: "The task.", schema: taskAt(door) } },
    }),
    params: paramsOf(door),
  };
  app.get<ById>(`${door.path}/:id`, { schema }, async (request, reply) => {
    const task = await tasks.show(request.params.id, await door.nounOf(request));
    void reply.header("etag", `"${task.version}"`);
    return task;
  });
}

function historyRoute(app: FastifyInstance, door: Door, { store, tasks }: Dependencies): void {
  const schema = {
    ...describeAt(door, {
      id: "getHistory",
      summary: `Every move of the ${door.noun.one} and its steps, with actor, time and reason.`,
      isOpen: true,
      answers: { "200": { words: "Its history, oldest first.", schema: ref("History") } },
    }),
    params: paramsOf(door),
  };
  app.get<ById>(`${door.path}/:id/history`, { schema }, async (request) => {
    const { taskId } = await tasks.find(request.params.id, await door.nounOf(request));
    return { items: (await store.findEvents({ taskId })).map(historyResource) };
  });
}
