import { expect, test } from "@jest/globals";
import { ProblemError } from "./errors.ts";
import { holdfastClient } from "./holdfast-client.ts";

type Asked = Readonly<Record<"method" | "path" | "id" | "body", unknown>>;

/** A client of a service that answers so, one answer after the other; the last one stays. */
function clientOf(...answers: readonly (() => Response)[]) {
  const left = [...answers];
  const asked: Asked[] = [];
  const client = holdfastClient({
    url: "http://holdfast.test",
    retryFor: 4_000,
    fetch: async (url, { method, headers, body } = {}) => {
      asked.push({
        method,
        path: new URL(url).pathname,
        id: new Headers(headers).get("idempotency-key"),
        body: typeof body === "string" ? JSON.parse(body) : null,
      });
      const answer = left.length > 1 ? left.shift() : left[0];
      return answer!();
    },
  });
  return { client, asked };
}

const json = (status: number, body: object) => () => new Response(JSON.stringify(body), { status });
const accepted = {
  id: "evt-1",
  name: "paid",
  taskId: "t1",
  at: "2026-11-28T09:00:12.000Z",
  replayed: false,
};

test("a signal is sent to its task under the id that is given", async () => {
  const { client, asked } = clientOf(json(202, accepted));
  const sent = await client.tasks.signal("t1", "paid in", { amount: 1 }, { id: "evt-1" });
  expect(sent).toEqual(accepted);
  expect(asked).toEqual([
    {
      method: "POST",
      path: "/v1/tasks/t1/signals/paid%20in",
      id: "evt-1",
      body: { payload: { amount: 1 } },
    },
  ]);
});

test("a signal without an id has one of its own, which its repetitions share", async () => {
  const lost = () => {
    throw new TypeError("fetch failed");
  };
  const { client, asked } = clientOf(lost, json(202, accepted));
  await client.tasks.signal("t1", "paid", null, { actor: "ann" });
  await client.tasks.signal("t1", "paid", null);
  const [first, again, other] = asked.map(({ id }) => id);
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(asked.map(({ body }) => body)).toEqual([
    { payload: null, actor: "ann" },
    { payload: null, actor: "ann" },
    { payload: null },
  ]);
});

test("a signal that comes too late is a problem with its code, and is not repeated", async () => {
  const problem = {
    status: 409,
    code: "signal.too_late",
    detail: "Too late.",
    title: "",
    type: "",
  };
  const { client, asked } = clientOf(json(409, problem));
  const error = await client.tasks.signal("t1", "paid", {}).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ProblemError);
  expect(error).toMatchObject({ code: "signal.too_late", status: 409 });
  expect(asked).toHaveLength(1);
});

test("the signals of a task are listed, page by page", async () => {
  const other = { ...accepted, id: "evt-2" };
  const { client, asked } = clientOf(
    json(200, { items: [accepted], next: "7" }),
    json(200, { items: [other], next: null }),
  );
  expect(await client.tasks.signals("t1")).toEqual([accepted, other]);
  const page = { method: "GET", path: "/v1/tasks/t1/signals" };
  expect(asked).toMatchObject([page, page]);
});

test("a signal for a business key names its workflow, and how long it is held", async () => {
  const held = { ...accepted, taskId: null, at: null, heldUntil: "2026-12-05T09:00:12.000Z" };
  const { client, asked } = clientOf(json(202, held));
  const signal = { workflow: "trip", businessKey: "trip-7", payload: { amount: 1 }, id: "evt-1" };
  expect(await client.signals.send("paid", { ...signal, holdFor: "7d" })).toEqual(held);
  await client.signals.send("paid", signal);
  expect(asked).toMatchObject([
    { method: "POST", path: "/v1/signals/paid", body: { ...signal, holdFor: "604800000ms" } },
    { body: signal },
  ]);
  expect(asked[1]?.body).not.toHaveProperty("holdFor");
});
