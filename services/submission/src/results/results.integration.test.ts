import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { finishTask } from "../../test/finish-task.ts";
import { serve } from "../../test/serve.ts";
import { input, openTrips, type TripService } from "../../test/trips.ts";

let trips: TripService;
let app: ReturnType<typeof serve>;
let base: string;

beforeAll(async () => {
  trips = await openTrips();
  app = serve(trips.store);
  base = await app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await app.close();
  await trips[Symbol.asyncDispose]();
});
beforeEach(() => trips.clear());

const submit = (headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${base}/v1/tasks`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ workflow: "trip", input }),
  });
const idOf = async (response: Response) => ((await response.json()) as { id: string }).id;
const resultOf = (id: string, wait = "") => fetch(`${base}/v1/tasks/${id}/result${wait}`);
const onlyTask = async (): Promise<string> => {
  for (;;) {
    const { items } = await trips.store.listTasks({
      tenant: "default",
      conditions: [],
      createdFrom: null,
      createdBefore: null,
      after: null,
      most: 1,
    });
    if (items[0] !== undefined) return items[0].taskId;
  }
};

test.each(["processed", "undone"])("the result of a %s task is answered at once", async (state) => {
  const id = await idOf(await submit());
  await finishTask(trips.url, id, state);
  const response = await resultOf(id, "?wait=60s");
  expect(response.status).toBe(200);
  expect(response.headers.get("etag")).toBe('"2"');
  expect(await response.json()).toEqual({ id, state, result: null, faultCode: null });
});

test("a request waits for the end of its task", async () => {
  const id = await idOf(await submit());
  const waiting = resultOf(id, "?wait=60s");
  await finishTask(trips.url, id);
  expect((await waiting).status).toBe(200);
});

test("a wait ends when the task halts, and none begins while it stands so", async () => {
  const id = await idOf(await submit());
  const waiting = resultOf(id, "?wait=60s");
  await finishTask(trips.url, id, "halted", { isOver: false });
  for (const response of [await waiting, await resultOf(id, "?wait=60s")]) {
    expect(response.status).toBe(202);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await response.json()).toMatchObject({ id, state: "halted", result: null });
  }
});

test("a submission that prefers to wait is answered 202 when its task halts", async () => {
  const waiting = submit({ prefer: "wait=60" });
  const id = await onlyTask();
  await finishTask(trips.url, id, "halted", { isOver: false });
  const response = await waiting;
  expect(response.status).toBe(202);
  expect(response.headers.get("location")).toBe(`/v1/tasks/${id}`);
});

test("a task that does not end in time is answered 202, with when to ask again", async () => {
  const id = await idOf(await submit());
  for (const wait of ["", "?wait=50ms"]) {
    const response = await resultOf(id, wait);
    expect(response.status).toBe(202);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await response.json()).toMatchObject({ id, state: "pending" });
  }
});

test("a submission that prefers to wait is answered with the result", async () => {
  const waiting = submit({ prefer: "respond-async, wait=30" });
  const id = await onlyTask();
  await finishTask(trips.url, id);
  const response = await waiting;
  expect(response.status).toBe(200);
  expect(response.headers.get("preference-applied")).toBe("wait=30");
  expect(response.headers.get("location")).toBe(`/v1/tasks/${id}`);
  expect(await response.json()).toMatchObject({ id, state: "processed" });
});

test("a submission whose task does not end in time is answered 202 with its place", async () => {
  const response = await submit({ prefer: "wait=1" });
  expect(response.status).toBe(202);
  const id = await idOf(response);
  expect(response.headers.get("location")).toBe(`/v1/tasks/${id}`);
});

test("requests that wait are answered when the service stops", async () => {
  const stopping = serve(trips.store);
  const handled = Promise.withResolvers<void>();
  stopping.addHook("preHandler", async () => handled.resolve());
  const url = await stopping.listen({ host: "127.0.0.1", port: 0 });
  const id = await idOf(await submit());
  const waiting = fetch(`${url}/v1/tasks/${id}/result?wait=60s`);
  await handled.promise;
  await stopping.close();
  expect((await waiting).status).toBe(202);
});

test.each([
  ["61s", 422],
  ["2m", 422],
  ["soon", 422],
  ["-1", 422],
])("a wait of %s is refused", async (wait, status) => {
  const id = await idOf(await submit());
  expect((await resultOf(id, `?wait=${wait}`)).status).toBe(status);
});

test("there is no result of a task that there is not", async () => {
  const response = await resultOf("01a1fd8d-d928-77c8-96cb-353aaba1757f", "?wait=1s");
  expect(response.status).toBe(404);
});
