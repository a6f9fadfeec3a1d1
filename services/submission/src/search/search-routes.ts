import type { ListedTask, OperationsStore, TaskFilter } from "@holdfast/state-store";
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { type Static, Type } from "typebox";
import { describeAt, ref } from "../api/describe.ts";
import { type Door, doorsOf } from "../doors.ts";
import type { WorkflowDirectory } from "../workflow-directory.ts";
import {
  CountQuery,
  cursorOf,
  filterOfQuery,
  ListQuery,
  pageOf,
  usualLimit,
} from "./list-query.ts";
import { filterOfBody, SearchBody } from "./search-body.ts";
import { withVersions } from "./with-versions.ts";

interface Dependencies {
  readonly store: OperationsStore;
  readonly directory: WorkflowDirectory;
  readonly onRequest: onRequestAsyncHookHandler;
}

const page = { "200": { words: "A page of tasks.", schema: ref("TaskPage") } };
const labels = "A label `x` is asked for as `label.x`.";

/**
 * Lists, searches and counts tasks, newest first. For operators only: a submitter knows the ids of its own tasks,
 * and may not see those of others. What is found is what the store holds at that moment.
 */
export function searchRoutes(app: FastifyInstance, deps: Dependencies): void {
  for (const door of doorsOf(deps.directory)) {
    listRoute(app, door, deps);
    countRoute(app, door, deps);
    searchRoute(app, door, deps);
  }
}

function listRoute(
  app: FastifyInstance,
  door: Door,
  { store, directory, onRequest }: Dependencies,
) {
  app.get<{ Querystring: Static<typeof ListQuery> }>(
    door.path,
    {
      onRequest: [onRequest, mustBeThere(door)],
      schema: {
        ...describeAt(door, {
          id: "listTasks",
          summary: `${door.noun.many} that match, newest first, a page at a time.`,
          description: labels,
          answers: page,
        }),
        params: Type.Object(door.params),
        querystring: ListQuery,
      },
    },
    async (request) => {
      const { limit = String(usualLimit), cursor, ...query } = request.query;
      const filter = await atDoor(filterOfQuery(query), { door, request, directory });
      return toPage(await store.listTasks({ ...filter, ...pageOf(cursor, Number(limit)) }));
    },
  );
}

function countRoute(
  app: FastifyInstance,
  door: Door,
  { store, directory, onRequest }: Dependencies,
) {
  app.get<{ Querystring: Static<typeof CountQuery> }>(
    `${door.path}/count`,
    {
      onRequest: [onRequest, mustBeThere(door)],
      schema: {
        ...describeAt(door, {
          id: "countTasks",
          summary: "How many match.",
          description: `Looks at half a million tasks at most. ${labels}`,
          answers: { "200": { words: "How many.", schema: ref("TaskCount") } },
        }),
        params: Type.Object(door.params),
        querystring: CountQuery,
      },
    },
    async (request) =>
      store.countMatchingTasks(
        await atDoor(filterOfQuery(request.query), { door, request, directory }),
      ),
  );
}

function searchRoute(
  app: FastifyInstance,
  door: Door,
  { store, directory, onRequest }: Dependencies,
) {
  app.post<{ Body: SearchBody }>(
    `${door.path}/search`,
    {
      onRequest: [onRequest, mustBeThere(door)],
      schema: {
        ...describeAt(door, {
          id: "searchTasks",
          summary: "What matches all conditions, newest first, a page at a time.",
          description:
            "A condition is a text, or any of `$eq`, `$in`, `$like` (with `*` for any characters) and `$exists`. Fields: workflow, state (`open` for all in which a task has not ended), priority, key, faultCode, correlationId, createdAt (`$gte`, `$lt`), `label.<name>`, fingerprint (of a group of failures) and text: an id, a key, an idempotency key, a correlation id or a fault code; of an id, a correlation id and a code the beginning will do. A page looks at 5000 tasks at most: it may have few items, and is the last only if `next` is null.",
          answers: page,
        }),
        params: Type.Object(door.params),
        body: SearchBody,
      },
    },
    async (request) => {
      const { limit = usualLimit, after } = request.body.page ?? {};
      const filter = await atDoor(filterOfBody(request.body), { door, request, directory });
      return toPage(await store.listTasks({ ...filter, ...pageOf(after, limit, "/page/after") }));
    },
  );
}

interface Asked {
  readonly door: Door;
  readonly request: FastifyRequest;
  readonly directory: WorkflowDirectory;
}

/** The filter with the full names of workflows, and of a collection only its own tasks. */
async function atDoor(
  filter: TaskFilter,
  { door, request, directory }: Asked,
): Promise<TaskFilter> {
  const { family } = await door.nounOf(request);
  const named = await withVersions(filter, directory);
  if (family === null) return named;
  const own = await directory.versionsOf(family);
  return {
    ...named,
    conditions: [...named.conditions, { field: "workflow", operator: "in", operand: own }],
  };
}

const toPage = ({ items, next }: Awaited<ReturnType<OperationsStore["listTasks"]>>) => ({
  items: items.map(listed),
  next: cursorOf(next),
});

const listed = ({ taskId: id, processState: state, ...rest }: ListedTask) => ({
  id,
  state,
  ...rest,
});

/** Throws a 404 before the rest of the request is read, where there is no such collection. */
const mustBeThere =
  (door: Door) =>
  async (request: FastifyRequest): Promise<void> =>
    void (await door.nounOf(request));
