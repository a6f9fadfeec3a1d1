import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sampleBooking } from "../../test/bookings.ts";
import { finishTask } from "../../test/finish-task.ts";
import { authorization, idOf, openTrips, type TripService } from "../../test/trips.ts";

let trips: TripService;
const names = new Map<string, string>();

beforeAll(async () => {
  trips = await openTrips();
  await trips.clear();
  const labels = { region: "eu", customer: "ada" };
  const named = async (name: string, body: object) =>
    names.set(idOf(await trips.submit(body)), name);
  await named("done", { key: "t-1" });
  await finishTask(trips.url, [...names.keys()][0]!);
  await named("eu", { key: "t-1", labels });
  await named("us", { key: "t-2", labels: { region: "us" }, priority: "batch" });
  const headers = { "task-key": "b-1", "task-labels": "region=eu,note=50%25%20off" };
  names.set(idOf(await trips.post("/v1/bookings", sampleBooking(), headers)), "booking");
});
afterAll(async () => {
  await trips[Symbol.asyncDispose]();
});

interface Page {
  readonly items: readonly { readonly id: string }[];
  readonly next: string | null;
}
const namesOf = ({ items }: Page) => items.map(({ id }) => names.get(id));
const search = (body: object) => trips.post("/v1/tasks/search", body, { authorization });

test.each<[string, object, readonly string[]]>([
  ["nothing", {}, ["booking", "us", "eu", "done"]],
  ["a key", { key: "t-1" }, ["eu", "done"]],
  ["an open task with a key", { key: { $eq: "t-1" }, state: "open" }, ["eu"]],
  ["several states", { state: { $in: ["processed", "undone"] } }, ["done"]],
  ["a label", { "label.region": "eu" }, ["booking", "eu"]],
  ["a label that exists", { "label.customer": { $exists: true } }, ["eu"]],
  ["a label that does not", { "label.region": { $exists: false } }, ["done"]],
  ["the beginning of a key", { key: { $like: "t-*" } }, ["us", "eu", "done"]],
  ["a percent sign, which is none of a pattern", { key: { $like: "%" } }, []],
  ["a label with a percent sign", { "label.note": { $like: "50%*" } }, ["booking"]],
  ["a workflow without its version", { workflow: "trip" }, ["us", "eu", "done"]],
  ["a priority", { priority: "batch" }, ["us"]],
  ["a time", { createdAt: { $lt: "2020-01-01T00:00:00Z" } }, []],
])("a search finds tasks by %s", async (_, filter, expected) => {
  const response = await search({ filter });
  expect(response.statusCode).toBe(200);
  expect(namesOf(response.json<Page>())).toEqual(expected);
});

test("a search goes on where a page ended", async () => {
  const seen: unknown[] = [];
  let page: object = { limit: 2 };
  for (;;) {
    const found: Page = (await search(page)).json<Page>();
    seen.push(...namesOf(found));
    if (found.next === null) break;
    page = { limit: 2, after: found.next };
  }
  expect(seen).toEqual(["booking", "us", "eu", "done"]);
});

test("the tasks of a collection are searched and counted by its workflow", async () => {
  expect(namesOf((await search({ filter: { workflow: "book-trip" } })).json<Page>())).toEqual([
    "booking",
  ]);
  const count = await trips.get("/v1/tasks/count?workflow=book-trip&label.region=eu");
  expect(count.json()).toEqual({ count: 1, complete: true });
});

test("a search for more than a page has is answered with what a page has", async () => {
  for (const limit of [501, 2 ** 31, 2 ** 53 - 1, 1e300])
    expect(namesOf((await search({ limit })).json<Page>())).toHaveLength(4);
});

test("tasks are listed and counted by key, label, state and priority", async () => {
  for (const [query, expected] of [
    ["key=t-1", ["eu", "done"]],
    ["label.region=eu&state=open", ["booking", "eu"]],
    ["priority=batch", ["us"]],
    ["state=processed&workflow=trip", ["done"]],
  ] as const) {
    expect(namesOf((await trips.get(`/v1/tasks?${query}`)).json<Page>())).toEqual(expected);
    const count = await trips.get(`/v1/tasks/count?${query}`);
    expect(count.json()).toEqual({ count: expected.length, complete: true });
  }
});

test.each<[object, RegExp]>([
  [
    { filter: { input: "x" } },
    /workflow, state, priority, key, .* and label\.<name>: not by input/,
  ],
  [{ filter: { "label.a b": "x" } }, /filtered by/],
  [{ filter: { key: { $gt: "x" } } }, /^\/filter\/key must /],
  [{ filter: { key: {} } }, /^\/filter\/key must /],
  [{ filter: { createdAt: { $gte: "now" } } }, /^\/filter\/createdAt\/\$gte must /],
  [
    { sort: [{ field: "key", order: "desc" }] },
    /^\/sort\/0\/field must be equal to constant: createdAt/,
  ],
  [{ limit: 0 }, /^\/limit must be >= 1\.$/],
  [{ limit: "5" }, /^\/limit must be integer\.$/],
  [{ after: "x" }, /^\/after must /],
  [{ page: { limit: 5 } }, /^The body must .*: page\.$/],
  [{ where: {} }, /^The body must .*: where\.$/],
  [{ filter: { key: "a\u0000b" } }, /^The filter /],
  [{ filter: { "label.x": { $in: ["\ud800"] } } }, /^The filter /],
])("the search %j is refused with what may be asked", async (body, detail) => {
  const response = await search(body);
  expect(response.statusCode).toBe(422);
  expect(response.json()).toMatchObject({ detail: expect.stringMatching(detail) });
});

test("searches and counts are open to operators only", async () => {
  expect((await trips.post("/v1/tasks/search", {})).statusCode).toBe(401);
  expect((await trips.get("/v1/tasks/count", {})).statusCode).toBe(401);
});

test.each([
  ["limit=many", "/limit must be integer."],
  [
    "fingerprint=x",
    "/fingerprint must be as described: Of a group of failures: 16 hexadecimal digits.",
  ],
  ["state=done", "/state must be equal to one of the allowed values: open, pending"],
  ["x=1", "The query must NOT have additional properties: x."],
  ["limit=0&x=1", "; errors has 1 more fault."],
])("the query %s is refused with what its field must be", async (query, detail) => {
  const response = await trips.get(`/v1/tasks?${query}`);
  expect(response.statusCode).toBe(422);
  expect(response.json()).toMatchObject({ detail: expect.stringContaining(detail) });
});
