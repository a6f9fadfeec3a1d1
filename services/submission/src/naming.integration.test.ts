import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { sampleBooking } from "../test/bookings.ts";
import { finishTask } from "../test/finish-task.ts";
import { asOperator, authorization, idOf, openTrips, type TripService } from "../test/trips.ts";

let trips: TripService;
beforeAll(async () => {
  trips = await openTrips();
});
afterAll(async () => {
  await trips[Symbol.asyncDispose]();
});
beforeEach(() => trips.clear());

test("a second open task with a key is refused, and an operator gets the id of the first", async () => {
  const first = idOf(await trips.submit({ key: "order-7" }));
  const second = await trips.submit(
    { key: "order-7" },
    { "idempotency-key": "again", authorization },
  );
  expect(second.statusCode).toBe(409);
  expect(second.json()).toMatchObject({ code: "task.key_in_use", taskId: first });
  await finishTask(trips.url, first);
  expect((await trips.submit({ key: "order-7" }, { "idempotency-key": "again" })).statusCode).toBe(
    202,
  );
});

test("a collection takes key, labels and beginning in headers", async () => {
  const notBefore = new Date(Date.now() + 3_600_000).toISOString();
  const headers = {
    "task-key": "b-1",
    "task-labels": "region=eu, customer=Ada%2C%20the%20first",
    "not-before": notBefore,
  };
  const first = idOf(await trips.post("/v1/bookings", sampleBooking(), headers));
  expect((await trips.get(`/v1/tasks/${first}`)).json()).toMatchObject({
    key: "b-1",
    labels: { region: "eu", customer: "Ada, the first" },
    notBefore,
  });
  const second = await trips.post("/v1/bookings", sampleBooking(), { ...headers, authorization });
  expect(second.json()).toMatchObject({ code: "task.key_in_use", taskId: first });
});

test.each<[string, object, string]>([
  ["a key with a space", { key: "a b" }, "/key"],
  ["an empty key", { key: "" }, "/key"],
  ["a label with a control character", { labels: { a: "b\u0007" } }, "/labels/a"],
  ["a label that is a number", { labels: { a: 1 } }, "/labels/a"],
  ["a label without a name", { labels: { "": "x" } }, "/labels"],
  ["a label with a long text", { labels: { a: "x".repeat(201) } }, "/labels/a"],
  ["labels that are a list", { labels: ["a"] }, "/labels"],
  [
    "seventeen labels",
    { labels: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`l${n}`, "x"])) },
    "/labels",
  ],
  ["a beginning without a zone", { notBefore: "2026-11-24T10:00:00" }, "/notBefore"],
  ["a beginning that is no instant", { notBefore: "tomorrow" }, "/notBefore"],
  ["a beginning on a day that does not exist", { notBefore: "2027-02-30T10:00:00Z" }, "/notBefore"],
  ["a beginning in a unit that does not exist", { notBefore: "+1w" }, "/notBefore"],
  ["a beginning in 400 days", { notBefore: "+400d" }, "/notBefore"],
  ["a beginning in the year 9999", { notBefore: "9999-01-01T00:00:00Z" }, "/notBefore"],
])("%s is refused with its place", async (_, body, pointer) => {
  const response = await trips.submit(body);
  expect(response.statusCode).toBe(422);
  const { errors } = response.json<{ errors: { pointer: string }[] }>();
  expect(errors.map((error) => error.pointer)).toContain(pointer);
});

test.each([
  ["task-labels", "%"],
  ["task-labels", "=x"],
  ["task-labels", "a"],
  ["task-key", "a b"],
  ["not-before", "soon"],
  ["not-before", "2027-04-31T00:00:00Z"],
  ["not-before", "1h"],
])("the header %s: %s of a collection is refused", async (name, value) => {
  const response = await trips.post("/v1/bookings", sampleBooking(), { [name]: value });
  expect(response.statusCode).toBe(422);
});

test("an operator names the version by the ETag, and is answered 412 when it has changed", async () => {
  const id = idOf(await trips.submit());
  const shown = await trips.get(`/v1/tasks/${id}`, {});
  const etag = String(shown.headers["etag"]);
  expect(etag).toBe('"1"');
  const act = (headers: Readonly<Record<string, string>>, body: object = asOperator) =>
    trips.post(`/v1/tasks/${id}/pause`, body, { authorization, ...headers });
  expect((await act({})).json()).toMatchObject({
    status: 428,
    code: "request.precondition_required",
  });
  expect((await act({ "if-match": etag }, { ...asOperator, version: 1 })).statusCode).toBe(422);
  for (const other of ['"7"', '"not-ours"', 'W/"7"', "1"]) {
    expect((await act({ "if-match": other })).json()).toMatchObject({
      status: 412,
      code: "task.changed",
    });
  }
  // A proxy that compresses an answer may say that its ETag is weak.
  expect((await act({ "if-match": `W/${etag}` })).statusCode).toBe(200);
  expect((await act({ "if-match": etag })).statusCode).toBe(412);
  expect((await act({ "if-match": "*" })).json()).toMatchObject({ code: "task.already_paused" });
});
