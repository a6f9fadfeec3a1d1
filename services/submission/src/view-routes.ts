import { limits } from "@holdfast/contracts";
import type { Instant, TaskState } from "@holdfast/domain";
import type { ListedTask, StateStore } from "@holdfast/state-store";
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { type Static, Type } from "typebox";
import { type Door, doorsOf } from "./doors.ts";
import { type ById, isTaskId, TaskParams, type Tasks } from "./find-tasks.ts";
import { Problem } from "./problem.ts";
import { historyResource } from "./task-resource.ts";
import type { WorkflowDirectory } from "./workflow-directory.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "findEvents">;
  readonly directory: WorkflowDirectory;
  readonly tasks: Tasks;
}

/** Shows tasks to those who know their ids: submitters and operators. */
export function viewRoutes(app: FastifyInstance, { store, directory, tasks }: Dependencies): void {
  for (const door of doorsOf(directory)) {
    const schema = { params: Type.Object({ ...door.params, ...TaskParams.properties }) };
    app.get<ById>(`${door.path}/:id`, { schema }, async (request) =>
      tasks.show(request.params.id, await door.nounOf(request)),
    );
    app.get<ById>(`${door.path}/:id/history`, { schema }, async (request) => {
      const { taskId } = await tasks.find(request.params.id, await door.nounOf(request));
      return { items: (await store.findEvents({ taskId })).map(historyResource) };
    });
  }
}

const states = [
  "pending",
  "processing",
  "processed",
  "error",
  "compensating",
  "compensated",
] as const satisfies readonly TaskState[];

const Name = Type.Optional(Type.String({ minLength: 1, maxLength: limits.name }));
const When = Type.Optional(Type.String({ maxLength: limits.instant }));
const ListQuery = Type.Object(
  {
    /** With its version, or without: then all versions. */
    workflow: Name,
    state: Type.Optional(Type.Enum([...states])),
    faultCode: Name,
    correlationId: Type.Optional(Type.String({ minLength: 1, maxLength: limits.property })),
    /** Instants as in ISO 8601; the first belongs to the range, the last does not. */
    createdFrom: When,
    createdBefore: When,
    limit: Type.Optional(Type.String({ maxLength: 3, pattern: "^([1-9][0-9]?|100)$" })),
    cursor: Type.Optional(Type.String({ maxLength: 100 })),
  },
  { additionalProperties: false },
);

/** How many tasks a page has at most, unless it is said. */
const usualLimit = 20;

/**
 * Lists tasks, newest first. For operators only: a submitter knows the ids of its own tasks, and may not
 * see those of others.
 */
export function listRoutes(
  app: FastifyInstance,
  deps: {
    readonly store: Pick<StateStore, "listTasks">;
    readonly directory: WorkflowDirectory;
    readonly onRequest: onRequestAsyncHookHandler;
  },
): void {
  const { store, directory, onRequest } = deps;
  for (const door of doorsOf(directory)) {
    const schema = { params: Type.Object(door.params), querystring: ListQuery };
    app.get<{ Querystring: Static<typeof ListQuery> }>(
      door.path,
      { onRequest: [mustBeThere(door), onRequest], schema },
      async (request) => {
        const { family } = await door.nounOf(request);
        const { workflow, limit = String(usualLimit), cursor, ...query } = request.query;
        const ofDoor = family === null ? null : await directory.versionsOf(family);
        const asked = workflow === undefined ? null : await directory.versionsOf(workflow);
        const page = await store.listTasks({
          tenant: "default",
          workflows: asked?.filter((name) => ofDoor?.includes(name) ?? true) ?? ofDoor,
          state: query.state ?? null,
          faultCode: query.faultCode ?? null,
          correlationId: query.correlationId ?? null,
          createdFrom: readInstant(query.createdFrom, "createdFrom"),
          createdBefore: readInstant(query.createdBefore, "createdBefore"),
          after: cursor === undefined ? null : readCursor(cursor),
          most: Number(limit),
        });
        const next = page.next === null ? null : Buffer.from(page.next).toString("base64url");
        return { items: page.items.map(listed), next };
      },
    );
  }
}

const listed = ({ taskId: id, processState: state, ...rest }: ListedTask) => ({
  id,
  state,
  ...rest,
});

function readInstant(text: string | undefined, name: string): Instant | null {
  if (text === undefined) return null;
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new Problem(422, "request.invalid", "The request is not complete or not right.", [
    { pointer: `/${name}`, detail: "must be an instant as in ISO 8601: 2026-11-24T10:00:00Z" },
  ]);
}

/** Where a page ended. Opaque: a client only sends it back to get the next page. */
function readCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString("latin1");
  if (isTaskId(id)) return id;
  throw new Problem(422, "request.invalid", "The request is not complete or not right.", [
    { pointer: "/cursor", detail: "must be what the page before named as its next" },
  ]);
}

/** Throws a 404 before the operator's token is asked for, where there is no such collection. */
const mustBeThere =
  (door: Door) =>
  async (request: FastifyRequest): Promise<void> =>
    void (await door.nounOf(request));
