import { openStateStore } from "@holdfast/state-store";
import { openLink } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { finishTask } from "../../test/finish-task.ts";
import { operationsUrl } from "../../test/operations-url.ts";
import { readStream, type StreamClient } from "../../test/read-stream.ts";
import { serve } from "../../test/serve.ts";
import {
  asOperator,
  authorization,
  idOf,
  openTrips,
  type TripService,
  token,
} from "../../test/trips.ts";

const resources = new AsyncDisposableStack();
let trips: TripService;
let url: string;
beforeAll(async () => {
  trips = resources.use(await openTrips());
  url = await operationsUrl(trips.url, resources);
});
afterAll(() => resources.disposeAsync());
beforeEach(() => trips.clear());

async function open(storeUrl: string, mostStreams = 10) {
  await using opened = new AsyncDisposableStack();
  const options = { url: storeUrl, applicationName: "test", maxConnections: 2 };
  const store = opened.use(await openStateStore(options));
  let looks = 0;
  const counted: typeof store.findChangedTasks = (params) => {
    looks += 1;
    return store.findChangedTasks(params);
  };
  const app = opened.use(serve({ ...store, findChangedTasks: counted }, { token, mostStreams }));
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  const parts = opened.move();
  return {
    app,
    looks: () => looks,
    follow: (headers: Readonly<Record<string, string>> = {}) =>
      readStream(`${base}/v1/events`, { authorization, ...headers }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

const submitted = async () => idOf(await trips.submit());
const pause = (id: string) =>
  trips.post(`/v1/tasks/${id}/pause`, asOperator, { authorization, "if-match": "*" });
const hasTick = (client: StreamClient) => client.events().some(({ event }) => event === "tick");
const changesOf = (client: StreamClient) =>
  client
    .events()
    .filter(({ event }) => event === "changed")
    .flatMap(({ data }) => data["tasks"] as readonly { id: string; version: number }[]);
const has = (id: string, version: number) => (client: StreamClient) =>
  changesOf(client).some((task) => task.id === id && task.version === version);

test("a stream begins with the overview, and has each change of each task as the task is since", async () => {
  await using service = await open(url);
  const before = await submitted();
  await using client = await service.follow();
  await client.until(hasTick);
  const tick = client.events().find(({ event }) => event === "tick");
  expect(tick?.data).toEqual({ at: expect.any(String), overview: expect.any(Object) });
  const overview = (await trips.get("/v1/overview")).json();
  expect(Object.keys(Object(tick?.data["overview"]))).toEqual(Object.keys(overview));
  const id = await submitted();
  await client.until(has(id, 1));
  await pause(id);
  await client.until(has(id, 2));
  await finishTask(trips.url, before);
  await pause(before);
  const [shown] = changesOf(client).filter((task) => task.id === id && task.version === 2);
  const { workflow, state, version, updatedAt } = (await trips.get(`/v1/tasks/${id}`)).json();
  expect(shown).toEqual({ id, workflow, state, version, updatedAt });
  const seen = changesOf(client).map((task) => `${task.id} ${task.version}`);
  expect(new Set(seen).size).toBe(seen.length);
});

test("a stream that was lost goes on after the last event that the client has", async () => {
  await using service = await open(url);
  let last: string | null = null;
  {
    await using client = await service.follow();
    await client.until(hasTick);
    last = client.events().at(-1)?.id ?? null;
  }
  const missed = [await submitted(), await submitted()];
  await using again = await service.follow({ "last-event-id": last ?? "" });
  await again.until((client) => missed.every((id) => has(id, 1)(client)));
  await using fresh = await service.follow({ "last-event-id": "' or 1=1 --" });
  await fresh.until(hasTick);
  expect(changesOf(fresh)).toEqual([]);
  await using ahead = await service.follow({ "last-event-id": "9".repeat(18) });
  await ahead.until(hasTick);
  expect(changesOf(ahead)).toEqual([]);
});

test("all streams share one look at the store, there are only so many of them, and only for operators", async () => {
  await using service = await open(url, 5);
  await using clients = new AsyncDisposableStack();
  const all: StreamClient[] = [];
  for (let count = 0; count < 5; count += 1) all.push(clients.use(await service.follow()));
  await Promise.all(all.map((client) => client.until(hasTick)));
  await using refused = await service.follow();
  expect(refused.status).toBe(503);
  await refused.closed;
  expect(refused.text()).toContain("request.overload");
  const before = service.looks();
  const id = await submitted();
  await Promise.all(all.map((client) => client.until(has(id, 1))));
  expect(service.looks() - before).toBeLessThanOrEqual(3);
  await using stranger = await service.follow({ authorization: "Bearer wrong" });
  expect(stranger.status).toBe(401);
  await service.app.close();
  await Promise.all(all.map(({ closed }) => closed));
});

test("a stream says that the store is away, and goes on when it is back", async () => {
  await using link = await openLink(url);
  await using service = await open(link.url);
  await using client = await service.follow();
  await client.until(hasTick);
  link.takeDown();
  await client.until((one) => one.text().includes(": the state store does not answer"));
  const id = await submitted();
  link.heal();
  await client.until(has(id, 1));
  await client.until((one) => one.text().includes(": the state store answers again"));
  expect(client.text().match(/does not answer/g)).toHaveLength(1);
});
