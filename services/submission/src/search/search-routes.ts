import type { ListedTask, OperationsStore } from "@holdfast/state-store";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import type { Static } from "typebox";
import { describe, ref } from "../api/describe.ts";
import { cursorOf } from "../api/pages.ts";
import type { WorkflowDirectory } from "../workflow-directory.ts";
import { CountQuery, filterOfQuery, ListQuery, pageOf } from "./list-query.ts";
import { filterOfBody, SearchBody } from "./search-body.ts";
import { withVersions } from "./with-versions.ts";

interface SearchDependencies {
  readonly store: OperationsStore;
  readonly directory: WorkflowDirectory;
  readonly onRequest: onRequestAsyncHookHandler;
}

const page = { "200": { words: "A page of tasks.", schema: ref("TaskPage") } };
const labels = "A label `x` is asked for as `label.x`.";

/**
 * Lists, searches and counts tasks, newest first. For operators only: a submitter knows the ids of
 * its own tasks, and may not see those of others. What is found is what the store holds at that
 * moment.
 */
export function searchRoutes(app: FastifyInstance, deps: SearchDependencies): void {
  listRoute(app, deps);
  countRoute(app, deps);
  searchRoute(app, deps);
}

function listRoute(
  app: FastifyInstance,
  { store, directory, onRequest }: SearchDependencies,
): void {
  const schema = {
    ...describe({
      id: "listTasks",
      tag: "tasks",
      summary: "Tasks that match, newest first, a page at a time.",
      description: labels,
      answers: page,
    }),
    querystring: ListQuery,
  };
  app.get<{ Querystring: Static<typeof ListQuery> }>(
    "/v1/tasks",
    { onRequest, schema },
    async ({ query }) => {
      const filter = await withVersions(filterOfQuery(query), directory);
      return toPage(await store.listTasks({ ...filter, ...pageOf(query) }));
    },
  );
}

function countRoute(
  app: FastifyInstance,
  { store, directory, onRequest }: SearchDependencies,
): void {
  const schema = {
    ...describe({
      id: "countTasks",
      tag: "tasks",
      summary: "How many match.",
      description: `Looks at half a million tasks at most. ${labels}`,
      answers: { "200": { words: "How many.", schema: ref("TaskCount") } },
    }),
    querystring: CountQuery,
  };
  app.get<{ Querystring: Static<typeof CountQuery> }>(
    "/v1/tasks/count",
    { onRequest, schema },
    async ({ query }) =>
      store.countMatchingTasks(await withVersions(filterOfQuery(query), directory)),
  );
}

function searchRoute(
  app: FastifyInstance,
  { store, directory, onRequest }: SearchDependencies,
): void {
  const schema = {
    ...describe({
      id: "searchTasks",
      tag: "tasks",
      summary: "What matches all conditions, newest first, a page at a time.",
      description:
        "A condition is a text, or any of `$eq`, `$in`, `$like` (with `*` for any characters) and `$exists`. Fields: workflow, state (`open` for all in which a task has not ended), priority, key, faultCode, correlationId, awaiting (the name of a step that waits now), createdAt (`$gte`, `$lt`), `label.<name>`, fingerprint (of a group of failures) and text: an id, a key, an idempotency key, a correlation id or a fault code; of an id, a correlation id and a code the beginning will do. A page looks at 5000 tasks at most: it may have few items, and is the last only if `next` is null.",
      answers: page,
    }),
    body: SearchBody,
  };
  app.post<{ Body: SearchBody }>("/v1/tasks/search", { onRequest, schema }, async ({ body }) => {
    const filter = await withVersions(filterOfBody(body), directory);
    return toPage(await store.listTasks({ ...filter, ...pageOf(body) }));
  });
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
