import { queryOnce } from "@holdfast/local-stack";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { pino } from "pino";
import { listRoutes } from "../../test/list-routes.ts";
import { serve } from "../../test/serve.ts";
import { authorization, idOf, openTrips, type TripService, token, trip } from "../../test/trips.ts";

let trips: TripService;
beforeAll(async () => {
  trips = await openTrips();
  await trips.clear();
});
afterAll(async () => {
  await trips[Symbol.asyncDispose]();
});

/** A name such as a Scheduler signs with. */
const typed = "scheduler-prod7-1-abcdef";

/** The columns of the store that have this text, as `table.column`. */
async function columnsWith(text: string): Promise<readonly string[]> {
  const columns = await queryOnce<{ place: string; sql: string }>(
    trips.url,
    `select c.relname || '.' || a.attname as place,
            format('select from state.%I where %I = %L limit 1', c.relname, a.attname, '${text}') as sql
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'state'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.atttypid = 'text'::regtype
      order by 1`,
  );
  const found = await Promise.all(
    columns.map(async ({ place, sql }) =>
      (await queryOnce(trips.url, sql)).length > 0 ? [place] : [],
    ),
  );
  return found.flat();
}

test("what an operator types as its name is nowhere stored as the name of a process", async () => {
  const act = { actor: typed, reason: "step.expired" };
  const post = async (path: string, more: object = {}) => {
    const headers = { authorization, "if-match": "*" };
    const answer = await trips.post(path, { ...act, ...more }, headers);
    expect({ path, status: answer.statusCode < 300 }).toEqual({ path, status: true });
    return answer;
  };
  const id = idOf(await trips.submit());
  await post("/v1/bulk-operations", { action: "pause", filter: { state: "open" } });
  await post("/v1/workflows/trip.v1/pause");
  await post("/v1/workflows/trip.v1/resume");
  await post("/v1/workflows/trip.v1/retire");
  await post("/v1/remotes/hotels/hold");
  await post(`/v1/tasks/${id}/pause`);
  const shown = (await trips.get(`/v1/tasks/${id}/history`)).json<{ items: { actor: string }[] }>();
  expect(shown.items.map(({ actor }) => actor)).toContain(`operator:${typed}`);
  expect(await columnsWith(typed)).toEqual([]);
  expect(await columnsWith(`operator:${typed}`)).toEqual([
    "breakers.actor",
    "bulk_operations.actor",
    "events.actor",
    "pauses.actor",
    "pauses.resumed_by",
    "tasks.paused_by",
    "workflows.retired_by",
  ]);
});

test("every route by which an operator changes something takes who it is", async () => {
  const routes = await listRoutes();
  const changing = routes.filter(
    ({ method, summary }) => method !== "GET" && summary?.startsWith("Operators: ") === true,
  );
  expect(changing.length).toBeGreaterThan(20);
  const nameless = changing.flatMap(({ method, url, body, querystring }) => {
    const named = [body, querystring].some((part) =>
      Object.hasOwn(Object(Object(part)["properties"]), "actor"),
    );
    return named ? [] : [`${method} ${url}`];
  });
  // They only look.
  expect(nameless.toSorted()).toEqual(["POST /v1/tasks/search"]);
});

test("the log keeps who stored a workflow, and which content it has", async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  await using app = serve(trips.store, { token, log });
  const put = (url: string) =>
    app.inject({ method: "PUT", url, headers: { authorization }, payload: trip("visit.v1") });
  expect((await put(`/v1/workflows/visit.v1?actor=${typed}`)).statusCode).toBe(201);
  expect((await put("/v1/workflows/visit.v1")).statusCode).toBe(200);
  const stored = lines.filter(({ msg }) => msg === "workflow stored");
  const [row] = await queryOnce<{ hash: string }>(
    trips.url,
    "select content_hash as hash from state.workflows where name = 'visit.v1'",
  );
  const same = { workflow: "visit.v1", hash: row?.hash };
  expect(stored).toMatchObject([
    { ...same, actor: `operator:${typed}`, kind: "created" },
    { ...same, actor: "operator:unnamed", kind: "same" },
  ]);
});
