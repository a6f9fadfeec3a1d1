import { type Link, openLink, queryOnce, testDatabase } from "@holdfast/local-stack";
import { fulfilOrder, sampleOrder } from "@holdfast/orders";
import { openHealth } from "@holdfast/runtime";
import { migrate, openStateStore } from "@holdfast/state-store";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { pino } from "pino";
import { findOrders } from "./find-orders.ts";
import { openHttp } from "./open-http.ts";
import { orderRoutes } from "./order-routes.ts";

const resources = new AsyncDisposableStack();
let link: Link;
let url: string;
let app: ReturnType<typeof openHttp>;
beforeAll(async () => {
  const database = resources.use(await testDatabase());
  ({ url } = database);
  await migrate(url);
  link = resources.use(await openLink(url));
  const store = resources.use(
    await openStateStore({ url: link.url, applicationName: "test", maxConnections: 2 }),
  );
  await store.registerWorkflow(fulfilOrder.definition);
  const health = openHealth(new AbortController().signal);
  health.check("state store", () => store.ping().then(() => true));
  app = resources.use(openHttp(health, pino({ level: "silent" })));
  const orders = findOrders(store);
  orderRoutes(app, {
    store,
    orders,
    workflow: fulfilOrder.name,
    hint: () => {},
    failpoint: () => {},
    actor: "test",
  });
});
afterAll(async () => {
  await resources.disposeAsync();
});

const post = (key: string) =>
  app.inject({
    method: "POST",
    url: "/v1/orders",
    headers: { "content-type": "application/json", "idempotency-key": key },
    payload: JSON.stringify(sampleOrder({ kind: "good" })),
  });

const tasks = async () =>
  (await queryOnce<{ n: number }>(url, "select count(*)::int as n from state.tasks"))[0]?.n;

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const startedAt = performance.now();
  return [await work(), performance.now() - startedAt];
}

const notNow = { status: 503, code: "store.unavailable" };

test("while Postgres is away, each order gets a 503 soon, and the same one is taken afterwards", async () => {
  link.takeDown();
  const keys = Array.from({ length: 30 }, (_, index) => `away-${index}`);
  const [answers, took] = await timed(() => Promise.all(keys.map(post)));
  expect(took).toBeLessThan(6_000);
  for (const answer of answers) {
    expect(answer.json()).toMatchObject(notNow);
    expect(answer.headers["retry-after"]).toBe("1");
  }
  expect((await app.inject({ url: "/health/ready" })).statusCode).toBe(503);
  expect((await app.inject({ url: "/health/live" })).statusCode).toBe(200);
  link.heal();
  expect((await Promise.all(keys.map(post))).map(({ statusCode }) => statusCode)).toEqual(
    keys.map(() => 202),
  );
  expect(await tasks()).toBe(30);
});

test("while Postgres is silent, orders are not kept waiting for ever", async () => {
  await post("before");
  link.silence();
  const [answers, took] = await timed(() => Promise.all(["one", "two"].map(post)));
  expect(took).toBeLessThan(20_000);
  expect(answers.map((answer) => answer.statusCode)).toEqual([503, 503]);
  link.reset();
  link.heal();
  expect((await post("one")).statusCode).toBe(202);
});
