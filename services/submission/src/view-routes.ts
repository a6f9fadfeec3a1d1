import { Readable } from "node:stream";
import { limits } from "@holdfast/contracts";
import type { SubmissionStore } from "@holdfast/state-store";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import type { Access } from "./access/access.ts";
import { describe, ref } from "./api/describe.ts";
import { pageFields, sizeOf } from "./api/pages.ts";
import { rowNumber } from "./api/query-parts.ts";
import { type ById, codesOfTask, TaskParams, type Tasks } from "./find-tasks.ts";
import { pageInRoom, roomForRows } from "./room.ts";
import { historyResource } from "./task-resource.ts";
import { partBytes, writeTask } from "./write-task.ts";

interface ViewDependencies {
  readonly store: Pick<SubmissionStore, "findHistory" | "findPayloads">;
  readonly tasks: Tasks;
  readonly access: Pick<Access, "mustBeAllowed" | "readerOf" | "toRead">;
}

/** Shows tasks to those who know their ids, submitters and operators, or to operators alone. */
export function viewRoutes(app: FastifyInstance, deps: ViewDependencies): void {
  taskRoute(app, deps);
  byKeyRoute(app, deps);
  historyRoute(app, deps);
}

function taskRoute(app: FastifyInstance, deps: ViewDependencies): void {
  const schema = {
    ...describe({
      id: "getTask",
      tag: "tasks",
      summary: "The task, its state, its result and its steps.",
      description: "Its ETag is its version: operators send it back as If-Match.",
      isOpen: true,
      answers: { "200": { words: "The task.", schema: ref("Task"), headers: ["etag"] } },
      codes: codesOfTask,
    }),
    params: TaskParams,
  };
  const onRequest = deps.access.toRead;
  app.get<ById>("/v1/tasks/:id", { schema, onRequest }, (request, reply) =>
    sendTask(request, reply, { ...deps, id: request.params.id }),
  );
}

const KeyQuery = Type.Object(
  {
    workflow: Type.String({
      minLength: 1,
      maxLength: limits.name,
      description: "The workflow; its version does not matter.",
    }),
    key: Type.String({
      minLength: 1,
      maxLength: limits.property,
      description: "The business key.",
    }),
  },
  { additionalProperties: false },
);

function byKeyRoute(app: FastifyInstance, deps: ViewDependencies): void {
  const { access, tasks } = deps;
  const schema = {
    ...describe({
      id: "getTaskByKey",
      tag: "tasks",
      summary: "The task of a workflow that has a business key, or had it last.",
      description:
        "At most one open task has a key; once that has ended, it is still the one until another task has the key. A key can be guessed: without the operators' token this needs `read-by-key` in `ANONYMOUS_MAY`.",
      isOpen: true,
      answers: { "200": { words: "The task.", schema: ref("Task"), headers: ["etag"] } },
      codes: { ...codesOfTask, 403: ["access.denied"] },
    }),
    querystring: KeyQuery,
  };
  const onRequest = [
    ...access.toRead,
    async (request: FastifyRequest) => access.mustBeAllowed(request, "read-by-key"),
  ];
  app.get<{ Querystring: Static<typeof KeyQuery> }>(
    "/v1/tasks/by-key",
    { schema, onRequest },
    async (request, reply) =>
      sendTask(request, reply, { ...deps, id: await tasks.idByKey(request.query) }),
  );
}

async function sendTask(
  request: FastifyRequest,
  reply: FastifyReply,
  { id, store, tasks, access }: ViewDependencies & { readonly id: string },
) {
  const makeRoom = roomForRows(request, reply);
  const principal = request.principal?.id ?? null;
  const shown = await tasks.show(id, { reader: access.readerOf(request), principal, makeRoom });
  const task = await tasks.withResult(shown, makeRoom);
  void reply.header("etag", `"${task.version}"`);
  if (task.omitted?.includes("payloads") !== true) return task;
  // Text is not unpacked: it takes four times its bytes at most, and not sixteen times.
  await makeRoom(partBytes / 4);
  void reply.type("application/json; charset=utf-8");
  return Readable.from(writeTask(task, { store }), { highWaterMark: 1 });
}

/** Entries of a page of a history. */
const pages = { usual: 1_000, most: 1_000 };

const HistoryQuery = Type.Object(pageFields(pages, rowNumber), { additionalProperties: false });

function historyRoute(app: FastifyInstance, { store, tasks, access }: ViewDependencies): void {
  const schema = {
    ...describe({
      id: "getHistory",
      tag: "tasks",
      summary: "Every move of the task and its steps, with actor, time and reason.",
      description: "A page at a time; a page of long notes has fewer entries than it may have.",
      isOpen: true,
      answers: { "200": { words: "A page, oldest first.", schema: ref("History") } },
      codes: codesOfTask,
    }),
    params: TaskParams,
    querystring: HistoryQuery,
  };
  const onRequest = access.toRead;
  app.get<ById & { readonly Querystring: Static<typeof HistoryQuery> }>(
    "/v1/tasks/:id/history",
    { schema, onRequest },
    async (request, reply) => {
      const { id: taskId } = request.params;
      const { limit, after = null } = request.query;
      await tasks.mustExist(taskId);
      const query = { taskId, after, most: sizeOf(limit, pages) };
      const page = await pageInRoom(roomForRows(request, reply), (mostBytes) =>
        store.findHistory({ ...query, mostBytes }),
      );
      const reader = access.readerOf(request);
      return {
        items: page.items.map((entry) => historyResource(entry, reader)),
        next: page.next,
      };
    },
  );
}
