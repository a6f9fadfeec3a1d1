import { fieldsOf, type Schema, table, typeOf } from "./json-schema.ts";
import { load } from "./load.ts";

interface Route {
  readonly method: string;
  readonly url: string;
  readonly summary?: string;
  readonly params?: Schema;
  readonly querystring?: Schema;
  readonly body?: Schema;
  readonly response?: Readonly<Record<string, Schema>>;
}

/** What operators and submitters do to one task. */
function ofTasks(path: string, noun: string): Readonly<Record<string, string>> {
  return {
    [`GET ${path}/:id`]: `The ${noun}, its state, its result and its steps.`,
    [`GET ${path}/:id/history`]: `Every move of the ${noun} and its steps, with actor, time and reason.`,
    [`POST ${path}/:id/undo`]: `Operators: undoes the ${noun}.`,
    [`POST ${path}/:id/cancel`]: `Operators: undoes the ${noun}, with another reason in its history.`,
    [`POST ${path}/:id/pause`]: "Operators: begins no further step until the task is resumed.",
    [`POST ${path}/:id/resume`]: "Operators: ends a pause.",
    [`POST ${path}/:id/resubmit`]: "Operators: retries a step that failed for good.",
    [`POST ${path}/:id/resolve`]: "Operators: records what a person did instead of a failed step.",
    [`POST ${path}/:id/steps/:step/retry`]: "Operators: ends the delay of a step.",
  };
}

/** What a route does, where its own schema has no `summary`. */
const summaries: Readonly<Record<string, string>> = {
  "GET /health/live": "Whether the process runs.",
  "GET /health/ready":
    "Whether the process can do its work. 503 while it cannot; the body says why.",
  "POST /v1/tasks": "Submits a task of any stored workflow. 202 when it is durable.",
  "GET /v1/tasks": "Operators: tasks that match, newest first, a page at a time.",
  "POST /v1/:collection":
    "Submits a task of the workflow that has the collection. 202 when it is durable.",
  "GET /v1/:collection": "Operators: the tasks of the collection, newest first, a page at a time.",
  ...ofTasks("/v1/tasks", "task"),
  ...ofTasks("/v1/:collection", "task of the collection"),
  "PUT /v1/workflows/:name":
    "Operators: stores a workflow. 201 when it is new, 200 when it was there. `warnings` names Agents that have never sent a heartbeat, and operations that no running instance announces.",
  "GET /v1/workflows": "Operators: the stored workflows.",
  "GET /v1/workflows/:name": "Operators: a workflow and its definition.",
  "POST /v1/workflows/:name/retire": "Operators: has the workflow take no new tasks.",
  "POST /v1/workflows/:name/reinstate": "Operators: has a retired workflow take tasks again.",
  "GET /v1/agents":
    "Operators: the Agents, with their instances, slots, breakers and pauses, and the steps in flight and due.",
  "POST /v1/agents/:name/pause": "Operators: claims no further step of this Agent.",
  "POST /v1/agents/:name/resume": "Operators: ends the pause of an Agent.",
  "POST /v1/workflows/:name/pause": "Operators: claims no further step of this workflow's tasks.",
  "POST /v1/workflows/:name/resume": "Operators: ends the pause of a workflow.",
  "GET /v1/pauses": "Operators: every pause in force.",
  "GET /v1/remotes":
    "Operators: the remote services, their circuit breakers, and the due steps that these hold back.",
  "POST /v1/remotes/:name/open":
    "Operators: opens the breaker of a remote service, until an operator closes it.",
  "POST /v1/remotes/:name/close":
    "Operators: closes the breaker of a remote service; its steps are released in growing numbers.",
};

/** The routes of docs/reference/http.md, as the submission service has them. */
export async function httpPage(): Promise<string> {
  const { listRoutes } = await load("services/submission/test/list-routes.ts");
  const routes = await (listRoutes as () => Promise<readonly Route[]>)();
  return routes
    .toSorted((a, b) => (`${a.url} ${a.method}` < `${b.url} ${b.method}` ? -1 : 1))
    .map(section)
    .join("\n\n");
}

function section(route: Route): string {
  const { method, url, params, querystring, body, response } = route;
  const summary = route.summary ?? summaries[`${method} ${url}`];
  if (summary === undefined) {
    throw new Error(`${method} ${url} has no summary: give its schema one, one sentence.`);
  }
  const parts = [
    ...rowsOf("path", params),
    ...rowsOf("query", querystring),
    ...rowsOf("body", body),
    ...Object.entries(response ?? {}).flatMap(([status, schema]) =>
      rowsOf(`answer ${status}`, schema),
    ),
  ];
  const heading = `### ${method} ${url}\n\n${summary}`;
  if (parts.length === 0) return heading;
  return `${heading}\n\n${table([["in", "name", "type and bounds", "required"], ...parts])}`;
}

const rowsOf = (place: string, schema: Schema | undefined): readonly (readonly string[])[] =>
  schema === undefined
    ? []
    : fieldsOf(schema).map(({ path, schema: field, isRequired }) => [
        place,
        `\`${path}\``,
        typeOf(field),
        isRequired ? "yes" : "no",
      ]);
