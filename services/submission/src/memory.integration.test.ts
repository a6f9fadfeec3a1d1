import { connect, type Socket } from "node:net";
import { queryOnce } from "@holdfast/local-stack";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { readStream } from "../test/read-stream.ts";
import { serve } from "../test/serve.ts";
import { idOf, openTrips, step, type TripService, token, trip } from "../test/trips.ts";
import { bytesAsValues } from "./room.ts";

const resources = new AsyncDisposableStack();
let trips: TripService;
beforeAll(async () => {
  trips = resources.use(await openTrips());
});
afterAll(() => resources.disposeAsync());
beforeEach(() => trips.clear());

const memory = 8 * 1024 * 1024;
/** The largest legal input, nearly. */
const large = "x".repeat(250_000);

/** A task that begins in an hour. */
async function largeTask(input: unknown = large): Promise<string> {
  await trips.put("large.v1", trip("large.v1", { inputSchema: {} }));
  const notBefore = new Date(Date.now() + 3_600_000).toISOString();
  return idOf(await trips.submit({ workflow: "large", input, notBefore }));
}

/**
 * A service, and the most that it held at a time: by its own count, and of what Node keeps for its
 * sockets.
 */
async function open() {
  const app = serve(trips.store, {
    token,
    mostStreams: 1_000,
    guard: { memory, addressShare: 50 },
  });
  const sockets = new Set<Socket>();
  app.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as { readonly port: number };
  const clients: Socket[] = [];
  let most = 0;
  const look = (): void => {
    const kept = [...sockets].reduce((sum, { writableLength }) => sum + writableLength, 0);
    most = Math.max(most, kept, app.guard.memory.used);
  };
  const looking = setInterval(look, 1);
  return {
    app,
    url: `http://127.0.0.1:${port}`,
    most: () => most,
    /** A client that asks and reads nothing. */
    ask(path: string, times = 1): void {
      const client = connect({ host: "127.0.0.1", localAddress: "127.0.0.2", port }).pause();
      client.on("error", () => {});
      client.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(times));
      clients.push(client);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(looking);
      for (const client of clients) client.destroy();
      await app.close();
    },
  };
}

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
};

/** Asks as callers do: again where there is no room for it in time. */
async function read(url: string): Promise<string> {
  let answer = await fetch(url);
  while (answer.status === 503) {
    await answer.body?.cancel();
    answer = await fetch(url);
  }
  expect(answer.status).toBe(200);
  return await answer.text();
}

test("streams of a large task that no client reads keep within the memory for all, and others have theirs", async () => {
  const id = await largeTask();
  await using service = await open();
  for (let count = 0; count < 300; count += 1) service.ask(`/v1/tasks/${id}/events`);
  await until(() => service.most() > large.length);
  await using honest = await readStream(`${service.url}/v1/tasks/${id}/events`);
  await honest.until((one) => one.events().some(({ event }) => event === "task"));
  expect(service.most()).toBeLessThanOrEqual(memory);
});

test("a large task that is asked for in hundreds of pipelined requests is read as often as there is room", async () => {
  const id = await largeTask();
  await using service = await open();
  for (let count = 0; count < 100; count += 1) service.ask(`/v1/tasks/${id}`, 15);
  await until(() => service.most() > large.length);
  expect((await read(`${service.url}/v1/tasks/${id}`)).length).toBeGreaterThan(large.length);
  expect(service.most()).toBeLessThanOrEqual(memory);
});

test("a task of megabytes that no client reads takes a part of its bytes for each of them", async () => {
  const names = Array.from({ length: 8 }, (_, index) => `book-${index}`);
  const steps = names.map((name) => ({ ...step, name, agent: "hotels", input: null, after: [] }));
  await trips.put("wide.v1", trip("wide.v1", { steps }));
  const id = idOf(await trips.submit({ workflow: "wide" }));
  await queryOnce(
    trips.url,
    `insert into state.step_payloads (task_id, name, output)
     select '${id}', 'book-' || number, to_json(repeat('x', 250000)) from generate_series(0, 7) as one (number)`,
  );
  await using service = await open();
  for (let count = 0; count < 50; count += 1) service.ask(`/v1/tasks/${id}`);
  await until(() => service.most() > large.length);
  expect((await read(`${service.url}/v1/tasks/${id}`)).length).toBeGreaterThan(8 * large.length);
  expect(service.most()).toBeLessThanOrEqual(memory);
});

test("a history without end is read within the memory for all", async () => {
  const id = await largeTask("small");
  await queryOnce(
    trips.url,
    `insert into state.events (task_id, action, from_state, to_state, actor, note)
     select '${id}', 'pause', 'pending', 'pending', 'ann', repeat('x', 900) from generate_series(1, 500)`,
  );
  await using service = await open();
  for (let count = 0; count < 100; count += 1) service.ask(`/v1/tasks/${id}/history`);
  await until(() => service.most() > 0);
  expect((await fetch(`${service.url}/v1/tasks/${id}/history`)).status).toBe(200);
  expect(service.most()).toBeLessThanOrEqual(memory);
});

test("bodies that are many times larger as values are written one after the other, and none is lost", async () => {
  await largeTask();
  await using service = await open();
  const lists = JSON.stringify({
    workflow: "large",
    input: Array.from({ length: 80_000 }, () => []),
  });
  expect(bytesAsValues(Buffer.from(lists))).toBeGreaterThan(memory);
  const post = () =>
    fetch(`${service.url}/v1/tasks`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: lists,
    });
  const answers = await Promise.all(Array.from({ length: 10 }, post));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  expect(service.most()).toBeLessThanOrEqual(memory);
  await until(() => service.app.guard.memory.used === 0);
});
