import { Readable } from "node:stream";
import type { SubmissionStore } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { Access } from "./access/access.ts";
import { describeAt, ref, taskAt } from "./api/describe.ts";
import { rowNumber } from "./api/query-parts.ts";
import { type Door, doorsOf } from "./doors.ts";
import { type ById, codesOfTask, TaskParams, type Tasks } from "./find-tasks.ts";
import { roomForRows, smallBytes } from "./room.ts";
import { historyResource } from "./task-resource.ts";
import type { WorkflowDirectory } from "./workflow-directory.ts";
import { partBytes, writeTask } from "./write-task.ts";

interface Dependencies {
  readonly store: Pick<SubmissionStore, "findHistory" | "findPayloads">;
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

function taskRoute(app: FastifyInstance, door: Door, { store, tasks, access }: Dependencies): void {
  const schema = {
    ...describeAt(door, {
      id: "getTask",
      summary: `The ${door.noun.one}, its state, its result and its steps.`,
      description: "Its ETag is its version: operators send it back as If-Match.",
      isOpen: true,
      answers: { "200": { words: "The task.", schema: taskAt(door), headers: ["etag"] } },
      codes: codesOfTask,
    }),
    params: paramsOf(door),
  };
  const onRequest = access.toRead;
  app.get<ById>(`${door.path}/:id`, { schema, onRequest }, async (request, reply) => {
    const noun = await door.nounOf(request);
    const makeRoom = roomForRows(request, reply);
    const shown = await tasks.show(request.params.id, {
      noun,
      reader: access.readerOf(request),
      makeRoom,
    });
    const task = await tasks.withResult(shown, makeRoom);
    void reply.header("etag", `"${task.version}"`);
    if (task.omitted?.includes("payloads") !== true) return task;
    // Text is not unpacked: it takes four times its bytes at most, and not sixteen times.
    await makeRoom(partBytes / 4);
    void reply.type("application/json; charset=utf-8");
    return Readable.from(writeTask(task, { store, noun }), { highWaterMark: 1 });
  });
}

/** Entries of a page of a history. */
const mostEntries = 1_000;
/** Bytes of a page that is not small. */
const pageBytes = 512 * 1024;

const HistoryQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.String({
        maxLength: 4,
        pattern: "^([1-9][0-9]{0,2}|1000)$",
        description: "Entries of a page: from 1 to 1,000; 1,000 unless it is set.",
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        ...rowNumber,
        description: "The `next` of the page before.",
      }),
    ),
  },
  { additionalProperties: false },
);

function historyRoute(app: FastifyInstance, door: Door, deps: Dependencies): void {
  const { store, tasks, access } = deps;
  const schema = {
    ...describeAt(door, {
      id: "getHistory",
      summary: `Every move of the ${door.noun.one} and its steps, with actor, time and reason.`,
      description: "A page at a time; a page of long notes has fewer entries than it may have.",
      isOpen: true,
      answers: { "200": { words: "A page, oldest first.", schema: ref("History") } },
      codes: codesOfTask,
    }),
    params: paramsOf(door),
    querystring: HistoryQuery,
  };
  const onRequest = access.toRead;
  app.get<ById & { readonly Querystring: Static<typeof HistoryQuery> }>(
    `${door.path}/:id/history`,
    { schema, onRequest },
    async (request, reply) => {
      const { id: taskId } = request.params;
      const { limit = String(mostEntries), cursor = null } = request.query;
      await tasks.mustExist(taskId, await door.nounOf(request));
      const wish = { taskId, after: cursor, most: Number(limit) };
      let page = await store.findHistory({ ...wish, mostBytes: smallBytes });
      if (page.isFull) {
        await roomForRows(request, reply)(pageBytes);
        page = await store.findHistory({ ...wish, mostBytes: pageBytes });
      }
      const reader = access.readerOf(request);
      return {
        items: page.items.map((entry) => historyResource(entry, reader)),
        next: page.next,
      };
    },
  );
}
