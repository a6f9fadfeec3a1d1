import { ConnectionError, type HoldfastClient, holdfastClient } from "@holdfast/client";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { finishTask } from "../../test/finish-task.ts";
import { serve } from "../../test/serve.ts";
import { input, openTrips, type TripService, token, trip } from "../../test/trips.ts";

let trips: TripService;
let app: ReturnType<typeof serve>;
let client: HoldfastClient;

beforeAll(async () => {
  trips = await openTrips();
  app = serve(trips.store, { token });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  client = holdfastClient({ url, token, actor: "ann" });
});
afterAll(async () => {
  await app.close();
  await trips[Symbol.asyncDispose]();
});
beforeEach(() => trips.clear());

const how = { reason: "the guest called" };

test("a task is submitted, waited for and followed to its end", async () => {
  const task = await client.submit("trip", input, { key: "t-1", labels: { region: "eu" } });
  expect(await client.result(task)).toMatchObject({ state: "pending", result: null });
  expect(await client.tasks.get(task.id)).toMatchObject({
    key: "t-1",
    labels: { region: "eu" },
    input,
  });
  const waiting = client.result(task, { wait: "30s" });
  const moves: string[] = [];
  const following = client.follow(task);
  const first = await following.next();
  if (first.done !== true) moves.push(first.value.action);
  await finishTask(trips.url, task.id);
  expect(await waiting).toMatchObject({ state: "processed" });
  const end = await following.next();
  expect(end).toMatchObject({ done: true, value: { state: "processed" } });
  expect(moves).toEqual(["submit"]);
});

test("one request submits a task and waits for its result, and waits on when that takes longer", async () => {
  const running = client.run("trip", input, { key: "r-1", wait: "30s" });
  let found = await client.tasks.list({ key: "r-1" });
  while (found.items.length === 0) found = await client.tasks.list({ key: "r-1" });
  await finishTask(trips.url, found.items[0]?.id ?? "", "undone");
  expect(await running).toMatchObject({ state: "undone", result: null });
  expect(await client.run("trip", input, { wait: "100ms" })).toMatchObject({ state: "pending" });
});

test("a run and a wait return when the task halts, and not at the end of their time", async () => {
  const running = client.run("trip", input, { key: "h-1", wait: "10m" });
  let found = await client.tasks.list({ key: "h-1" });
  while (found.items.length === 0) found = await client.tasks.list({ key: "h-1" });
  const id = found.items[0]?.id ?? "";
  await finishTask(trips.url, id, "halted", { isOver: false });
  expect(await running).toMatchObject({ id, state: "halted", result: null });
  expect(await client.result(id, { wait: "10m" })).toMatchObject({ state: "halted" });
});

test("a task is found by its business key, and then the one that has the key after it", async () => {
  const first = await client.submit("trip", input, { key: "o/7?&#" });
  expect(await client.tasks.getByKey("trip", "o/7?&#")).toMatchObject({ id: first.id });
  await finishTask(trips.url, first.id);
  expect(await client.tasks.getByKey("trip.v1", "o/7?&#")).toMatchObject({ id: first.id });
  const second = await client.submit("trip", input, { key: "o/7?&#" });
  expect(await client.tasks.getByKey("trip", "o/7?&#")).toMatchObject({ id: second.id });
  for (const [workflow, key] of [
    ["trip", "o"],
    ["book-trip", "o/7?&#"],
    ["nothing", "o/7?&#"],
  ] as const) {
    await expect(client.tasks.getByKey(workflow, key)).rejects.toMatchObject({
      status: 404,
      code: "task.unknown",
    });
  }
});

test("a second task with an open key is refused with the id of the first", async () => {
  const first = await client.submit("trip", input, { key: "k" });
  await expect(client.submit("trip", input, { key: "k" })).rejects.toMatchObject({
    status: 409,
    code: "task.key_in_use",
    taskId: first.id,
  });
  const again = { idempotencyKey: "again" };
  const { id } = await client.submit("trip", input, again);
  expect(await client.submit("trip", input, again)).toEqual({ id, replayed: true });
});

test("an operator acts on what it has seen, and is refused when that has changed", async () => {
  const { id } = await client.submit("trip", input);
  const paused = await client.tasks.pause(id, how);
  expect(paused.paused).toMatchObject({ by: "operator:ann", reason: how.reason });
  await expect(client.tasks.resume(id, { ...how, version: 1 })).rejects.toMatchObject({
    status: 412,
  });
  expect((await client.tasks.resume(id, { ...how, version: paused.version })).paused).toBeNull();
  expect((await client.tasks.cancel(id, how)).goal).toBe("undo");
  const history = await client.tasks.history(id);
  expect(history.filter(({ note }) => note === how.reason).length).toBeGreaterThanOrEqual(3);
});

test("tasks are listed, searched and counted across pages", async () => {
  for (let number = 0; number < 105; number += 1)
    await client.submit("trip", input, { labels: { n: String(number % 2) } });
  const ids = new Set<string>();
  for await (const { id } of client.tasks.all({ "label.n": "0", state: "open" })) ids.add(id);
  expect(ids.size).toBe(53);
  expect(await client.tasks.count({ workflow: "trip" })).toEqual({ count: 105, complete: true });
  const { items } = await client.tasks.search({
    filter: { "label.n": { $in: ["1"] } },
    limit: 7,
  });
  expect(items).toHaveLength(7);
});

test("workflows are stored, shown and retired", async () => {
  const stored = await client.workflows.store(trip("walk.v1"));
  expect(stored).toMatchObject({ name: "walk.v1", isNew: true });
  expect((await client.workflows.store(trip("walk.v1"))).isNew).toBe(false);
  expect((await client.workflows.get("walk")).definition).toMatchObject({ name: "walk.v1" });
  await client.workflows.retire("walk.v1", how);
  await expect(client.submit("walk", input)).rejects.toMatchObject({ code: "workflow.retired" });
  await client.workflows.pause("trip.v10", how);
  expect(await client.pauses.list()).toMatchObject([{ kind: "workflow", name: "trip.v10" }]);
  expect((await client.agents.list()).map(({ name }) => name)).toContain("hotels");
  expect((await client.remotes.list()).map(({ name }) => name)).toContain("hotels");
});

test("a service that is not there is a connection error, and not one of the task", async () => {
  const nowhere = holdfastClient({ url: "http://127.0.0.1:1", retryFor: 0 });
  await expect(nowhere.submit("trip", input)).rejects.toBeInstanceOf(ConnectionError);
});
