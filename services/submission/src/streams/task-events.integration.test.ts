import { queryOnce } from "@holdfast/local-stack";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { finishTask } from "../../test/finish-task.ts";
import { readStream, type StreamClient } from "../../test/read-stream.ts";
import { serve } from "../../test/serve.ts";
import { asOperator, openTrips, type TripService, token } from "../../test/trips.ts";

let trips: TripService;
let app: ReturnType<typeof serve>;
let base: string;
const resources = new AsyncDisposableStack();
beforeAll(async () => {
  trips = resources.use(await openTrips());
  app = resources.use(serve(trips.store, { token, mostStreams: 3 }));
  base = await app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(() => resources.disposeAsync());
beforeEach(() => trips.clear());

const submitted = async () => (await trips.submit()).json<{ id: string }>().id;
const follow = (id: string, headers = {}) => readStream(`${base}/v1/tasks/${id}/events`, headers);
const has = (event: string) => (client: StreamClient) =>
  client.events().some((one) => one.event === event);
const moves = (client: StreamClient) => client.events().filter(({ event }) => event === "moved");
const pause = (id: string) =>
  app.inject({
    method: "POST",
    url: `/v1/tasks/${id}/pause`,
    headers: { authorization: `Bearer ${token}`, "if-match": "*" },
    payload: asOperator,
  });

test("a stream has every move as its history has it, the task as it stands, and its end", async () => {
  const id = await submitted();
  await using client = await follow(id);
  expect(client.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
  await client.until(has("task"));
  expect((await pause(id)).statusCode).toBe(200);
  await client.until((one) => moves(one).some(({ data }) => data["action"] === "pause"));
  await finishTask(trips.url, id);
  await client.closed;
  const { items } = (await trips.get(`/v1/tasks/${id}/history`, {})).json();
  expect(moves(client).map(({ data }) => data)).toEqual(items);
  expect(moves(client).map((one) => one.id)).toEqual(items.map((one: { id: string }) => one.id));
  const task = client.events().findLast(({ event }) => event === "task")?.data;
  expect(task).toEqual((await trips.get(`/v1/tasks/${id}`, {})).json());
  expect(client.events().at(-1)).toEqual({
    id: null,
    event: "end",
    data: { id, state: "processed" },
  });
});

test("a task of a collection is followed as every other", async () => {
  const id = (await trips.post("/v1/trips", { guest: "Ada", nights: 2 })).json<{ id: string }>().id;
  await finishTask(trips.url, id);
  await using client = await follow(id);
  await client.closed;
  const task = client.events().find(({ event }) => event === "task")?.data;
  expect(task).toMatchObject({ id, input: { guest: "Ada" } });
});

describe("Last-Event-ID", () => {
  test("has the stream go on after what came more than five seconds before it", async () => {
    const id = await submitted();
    await pause(id);
    const [first, last] = await storedMoves(id);
    await queryOnce(
      trips.url,
      `set session_replication_role = replica;
       update state.events set at = at - interval '1 minute' where id = ${first}`,
    );
    await using client = await follow(id, { "last-event-id": last ?? "" });
    await client.until(has("task"));
    expect(moves(client).map((one) => one.id)).not.toContain(first);
    expect(moves(client).map((one) => one.id)).toContain(last);
  });

  test.each(["x", "-1", "1e3", "99999999999999999999999999", "0; drop table state.tasks", ""])(
    "that is %j begins with the first move",
    async (garbage) => {
      const id = await submitted();
      await using client = await follow(id, { "last-event-id": garbage });
      await client.until(has("task"));
      expect(moves(client).map((one) => one.id)).toEqual(await storedMoves(id));
    },
  );

  test("may stand in the query, bounded", async () => {
    const id = await submitted();
    await using client = await readStream(`${base}/v1/tasks/${id}/events?lastEventId=99999999999`);
    await client.until(has("task"));
    expect(moves(client).length).toBeGreaterThan(0);
    const long = `${base}/v1/tasks/${id}/events?lastEventId=${"9".repeat(300)}`;
    expect((await fetch(long)).status).toBe(422);
  });
});

const storedMoves = async (id: string) =>
  (await trips.store.findEvents({ taskId: id })).map((one) => one.id);

test("a move that appears after a later one is sent, too", async () => {
  const id = await submitted();
  await using client = await follow(id);
  await client.until(has("task"));
  const [first = "0"] = await storedMoves(id);
  await queryOnce(
    trips.url,
    `insert into state.events (id, task_id, action, to_state, actor) overriding system value
     values (${BigInt(first) - 1n}, '${id}', 'summarise', 'pending', 'late')`,
  );
  await client.until((one) => moves(one).some(({ data }) => data["actor"] === "late"));
  expect(new Set(moves(client).map((one) => one.id)).size).toBe(moves(client).length);
});

test("a task that is deleted while it is followed ends the stream", async () => {
  const id = await submitted();
  await using client = await follow(id);
  await client.until(has("task"));
  await queryOnce(trips.url, `delete from state.tasks where task_id = '${id}'`);
  await client.closed;
  expect(client.events().at(-1)).toMatchObject({ event: "end", data: { id, state: null } });
});

test("a task that there is not has no stream, and one stream too many is refused", async () => {
  expect((await fetch(`${base}/v1/tasks/nonsense/events`)).status).toBe(404);
  const id = await submitted();
  await using stack = new AsyncDisposableStack();
  for (let open = 0; open < 3; open += 1) stack.use(await follow(id));
  const refused = await fetch(`${base}/v1/tasks/${id}/events`);
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ code: "request.overload" });
  await stack.disposeAsync();
  for (;;) {
    const response = await fetch(`${base}/v1/tasks/${id}/events`);
    await response.body?.cancel();
    if (response.status === 200) break;
  }
});

test("a history of many moves comes whole and in order", async () => {
  const id = await submitted();
  await queryOnce(
    trips.url,
    `insert into state.events (task_id, step, action, from_state, to_state, actor)
     select '${id}', 'book', 'retryNow', 'pending', 'pending', 'ann' from generate_series(1, 1000)`,
  );
  await using client = await follow(id);
  await client.until(has("task"));
  expect(moves(client).map((one) => one.id)).toEqual(await storedMoves(id));
});

test("streams end at once when the service stops, and none is opened any more", async () => {
  const stopping = serve(trips.store, { token });
  const url = await stopping.listen({ host: "127.0.0.1", port: 0 });
  const id = await submitted();
  await using client = await readStream(`${url}/v1/tasks/${id}/events`);
  await client.until(has("task"));
  await stopping.close();
  await client.closed;
  expect(has("end")(client)).toBe(false);
});
