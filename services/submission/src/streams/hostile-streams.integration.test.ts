import { openStateStore } from "@holdfast/state-store";
import { openLink } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { readStream, type StreamClient } from "../../test/read-stream.ts";
import { serve } from "../../test/serve.ts";
import { asOperator, openTrips, type TripService, token } from "../../test/trips.ts";

const resources = new AsyncDisposableStack();
let trips: TripService;
beforeAll(async () => {
  trips = resources.use(await openTrips());
});
afterAll(() => resources.disposeAsync());
beforeEach(() => trips.clear());

const submitted = async () => (await trips.submit()).json<{ id: string }>().id;
const tasksSent = (client: StreamClient) =>
  client.events().filter(({ event }) => event === "task").length;
const pause = (id: string) =>
  trips.post(`/v1/tasks/${id}/pause`, asOperator, {
    authorization: `Bearer ${token}`,
    "if-match": "*",
  });

test("two thousand idle streams cost one look, and each has its task's next move", async () => {
  await using app = serve(trips.store, {
    token,
    // A tenth is kept for operators.
    mostStreams: 2_222,
    guard: { connections: 5_000, requestTimeout: 60_000 },
  });
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  const ids = [await submitted(), await submitted()];
  await using clients = new AsyncDisposableStack();
  const open: StreamClient[] = [];
  for (let opened = 0; opened < 2_000; opened += 100) {
    const some = await Promise.all(
      Array.from({ length: 100 }, (_, at) => readStream(`${base}/v1/tasks/${ids[at % 2]}/events`)),
    );
    open.push(...some.map((client) => clients.use(client)));
  }
  expect((await fetch(`${base}/v1/tasks/${ids[0]}/events`)).status).toBe(503);
  expect((await fetch(`${base}/v1/tasks/${ids[0]}`)).status).toBe(200);
  await Promise.all(open.map((client) => client.until((one) => tasksSent(one) === 1)));
  await pause(ids[0] ?? "");
  const first = open.filter((_, at) => at % 2 === 0);
  await Promise.all(first.map((client) => client.until((one) => tasksSent(one) === 2)));
  expect(open.filter((client) => tasksSent(client) === 1)).toHaveLength(1_000);
});

test("streams say that the store is away, and go on when it is back", async () => {
  await using link = await openLink(trips.url);
  await using store = await openStateStore({
    url: link.url,
    applicationName: "test",
    maxConnections: 2,
  });
  await using app = serve(store, { token });
  const base = await app.listen({ host: "127.0.0.1", port: 0 });
  const id = await submitted();
  await using client = await readStream(`${base}/v1/tasks/${id}/events`);
  await client.until((one) => tasksSent(one) === 1);
  link.takeDown();
  await client.until((one) => one.text().includes(": the state store does not answer"));
  await pause(id);
  link.heal();
  await client.until((one) => tasksSent(one) === 2);
  await client.until((one) => one.text().includes(": the state store answers again"));
  const moves = client.events().filter(({ event }) => event === "moved");
  expect(new Set(moves.map((one) => one.id)).size).toBe(moves.length);
  expect(client.text().match(/does not answer/g)).toHaveLength(1);
});
