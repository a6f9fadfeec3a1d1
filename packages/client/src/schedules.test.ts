import { expect, test } from "@jest/globals";
import { ProblemError } from "./errors.ts";
import { holdfastClient } from "./holdfast-client.ts";

/** A client of a service that answers so, one answer after the other; the last one stays. */
function clientOf(...answers: readonly (() => Response)[]) {
  const left = [...answers];
  const asked: { readonly request: string; readonly body: unknown }[] = [];
  const client = holdfastClient({
    url: "http://holdfast.test",
    actor: "ann",
    retryFor: 4_000,
    fetch: async (url, { method, body } = {}) => {
      const { pathname, search } = new URL(url);
      asked.push({
        request: `${method} ${pathname}${search}`,
        body: typeof body === "string" ? JSON.parse(body) : null,
      });
      const answer = left.length > 1 ? left.shift() : left[0];
      return answer!();
    },
  });
  return { schedules: client.schedules, asked };
}

const json = (status: number, body: object) => () => new Response(JSON.stringify(body), { status });
const none = () => new Response(null, { status: 204 });
const lost = (): never => {
  throw new TypeError("fetch failed");
};
const schedule = {
  workflow: "settle",
  cron: "30 2 * * *",
  zone: "UTC",
  input: { day: { $ref: "/schedule/date" } },
};
const why = { reason: "the close is late" };

test("a schedule is put under its id, and it is said whether it is new", async () => {
  const { schedules, asked } = clientOf(json(201, { id: "a" }), lost, json(200, { id: "a" }));
  expect(await schedules.put("night/eu", schedule)).toEqual({
    id: "a",
    isNew: true,
  });
  const again = await schedules.put("a", schedule, { actor: "ben" });
  expect(again.isNew).toBe(false);
  const body = schedule;
  expect(asked).toEqual([
    { request: "PUT /v1/schedules/night%2Feu?actor=ann", body },
    { request: "PUT /v1/schedules/a?actor=ben", body },
    { request: "PUT /v1/schedules/a?actor=ben", body },
  ]);
});

test("what is wrong with a schedule is a problem with its code", async () => {
  const { schedules } = clientOf(
    json(400, {
      status: 400,
      code: "schedule.invalid",
      detail: "See errors.",
      title: "",
      type: "",
    }),
  );
  const error = await schedules.put("a", schedule).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ProblemError);
  expect(error).toMatchObject({ code: "schedule.invalid" });
});

test("schedules are listed page by page, and shown with their instants and fires", async () => {
  const { schedules, asked } = clientOf(
    json(200, { items: [{ id: "a" }], next: "a" }),
    json(200, { items: [{ id: "b" }], next: null }),
    json(200, { id: "b", items: [] }),
  );
  expect(await schedules.list()).toEqual([{ id: "a" }, { id: "b" }]);
  await schedules.get("b");
  await schedules.next("b");
  await schedules.next("b", { count: 3 });
  await schedules.fires("b");
  await schedules.fires("b", { limit: 5, after: "17" });
  expect(asked.map(({ request }) => request)).toEqual([
    "GET /v1/schedules?limit=100",
    "GET /v1/schedules?limit=100&after=a",
    "GET /v1/schedules/b",
    "GET /v1/schedules/b/next",
    "GET /v1/schedules/b/next?count=3",
    "GET /v1/schedules/b/fires",
    "GET /v1/schedules/b/fires?limit=5&after=17",
  ]);
});

test("schedules are paused, resumed and deleted by who is named", async () => {
  const { schedules, asked } = clientOf(none);
  await schedules.pause("a", why);
  await schedules.resume("a", { ...why, actor: "ben" });
  await schedules.delete("a");
  expect(asked).toEqual([
    { request: "POST /v1/schedules/a/pause", body: { ...why, actor: "ann" } },
    { request: "POST /v1/schedules/a/resume", body: { ...why, actor: "ben" } },
    { request: "DELETE /v1/schedules/a?actor=ann", body: null },
  ]);
});

test("a fire whose answer is lost is not repeated, and a backfill is: it submits each once", async () => {
  const fired = json(202, { instant: "2026-11-28T01:30:00.000Z", taskId: "t1" });
  const firing = clientOf(lost, fired);
  await expect(firing.schedules.fire("a", why)).rejects.toThrow();
  expect(firing.asked).toHaveLength(1);
  const { schedules, asked } = clientOf(lost, json(202, { fired: [], firedBefore: 0 }));
  const from = new Date("2026-11-01T00:00:00Z");
  await schedules.backfill("a", { ...why, from, to: "2026-11-02T00:00:00Z" });
  const one = {
    request: "POST /v1/schedules/a/backfill",
    body: {
      ...why,
      actor: "ann",
      from: "2026-11-01T00:00:00.000Z",
      to: "2026-11-02T00:00:00Z",
    },
  };
  expect(asked).toEqual([one, one]);
});
