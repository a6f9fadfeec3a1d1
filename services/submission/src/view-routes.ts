import type { StateStore } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Access } from "./access/access.ts";
import { describeAt, ref, taskAt } from "./api/describe.ts";
import { type Door, doorsOf } from "./doors.ts";
import { type ById, TaskParams, type Tasks } from "./find-tasks.ts";
import { roomForRows, smallBytes } from "./room.ts";
import { historyResource } from "./task-resource.ts";
import type { WorkflowDirectory } from "./workflow-directory.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "findEvents">;
  readonly directory: WorkflowDirectory;
  readonly tasks: Tasks;
  readonly access: Pick<Access, "readerOf" | "toRead">;
}

/** Shows tasks to those who know their ids, submitters and operators, or to operators alone. */
export function viewRoutes(app: FastifyInstance, deps: Dependencies): void {
  for (const door of doorsOf(deps.directory)) {
    taskRoute(app, door, deps);
    historyRoute(app, door, deps);
  }
}

const paramsOf = (door: Door) => Type.Object({ ...door.params, ...TaskParams.properties });

function taskRoute(app: FastifyInstance, door: Door, { tasks, access }: Dependencies): void {
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
  const onRequest = access.toRead;
  app.get<ById>(`${door.path}/:id`, { schema, onRequest }, async (request, reply) => {
    const task = await tasks.show(request.params.id, {
      noun: await door.nounOf(request),
      reader: access.readerOf(request),
      makeRoom: roomForRows(request, reply),
    });
    void reply.header("etag", `"${task.version}"`);
    return task;
  });
}

function historyRoute(app: FastifyInstance, door: Door, deps: Dependencies): void {
  const { store, tasks, access } = deps;
  const schema = {
    ...describeAt(door, {
      id: "getHistory",
      summary: `Every move of the ${door.noun.one} and its steps, with actor, time and reason.`,
      isOpen: true,
      answers: { "200": { words: "Its history, oldest first.", schema: ref("History") } },
    }),
    params: paramsOf(door),
  };
  const onRequest = access.toRead;
  app.get<ById>(`${door.path}/:id/history`, { schema, onRequest }, async (request, reply) => {
    const { id: taskId } = request.params;
    const bytes = await tasks.historyBytes(taskId, await door.nounOf(request));
    if (bytes > smallBytes) await roomForRows(request, reply)(bytes);
    const reader = access.readerOf(request);
    const entries = await store.findEvents({ taskId });
    return { items: entries.map((entry) => historyResource(entry, reader)) };
  });
}
