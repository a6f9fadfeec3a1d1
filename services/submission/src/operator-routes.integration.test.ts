import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { halted, stepOf, submitted } from "../test/halted-bookings.ts";
import { listRoutes } from "../test/list-routes.ts";
import {
  asOperator,
  type OperatedService,
  openOperated,
  type Shown,
  token,
} from "../test/operated.ts";

let operated: OperatedService;

beforeAll(async () => {
  operated = await openOperated();
});
afterAll(async () => {
  await operated[Symbol.asyncDispose]();
});
beforeEach(() => operated.forgetHints());

describe("an operator's request", () => {
  test.each([
    ["no reason", { actor: "ann" }, "", /reason/],
    ["an actor that is a number", { ...asOperator, actor: 1 }, "/actor", /string/],
    ["a version in its body", { ...asOperator, version: 1 }, "", /version/],
    ["an unknown field", { ...asOperator, force: true }, "", /force/],
  ])("with %s is refused", async (_, payload, pointer, detail) => {
    const { id } = await operated.submit();
    const response = await operated.act(`/v1/tasks/${id}/pause`, payload, { "if-match": '"1"' });
    expect(response.statusCode).toBe(422);
    expect(response.json()).toMatchObject({
      code: "request.invalid",
      errors: [{ pointer, detail: expect.stringMatching(detail) }],
    });
  });

  test("without If-Match is refused with 428, whatever it asks for, and moves nothing", async () => {
    const booking = await halted(operated);
    const routes = (await listRoutes()).filter(({ url }) => url.startsWith("/v1/tasks/:id/"));
    // Applications send signals, and people decide, about the task as it will be.
    const acts = routes.filter(
      ({ method, url }) => method === "POST" && !/\/(signals\/|decision$)/.test(url),
    );
    expect(acts.length).toBeGreaterThan(5);
    for (const { url } of acts) {
      const path = url.replace(":id", booking.id).replace(":step", "reserve");
      const response = await operated.act(path, asOperator);
      expect({ path, ...response.json() }).toMatchObject({
        path,
        status: 428,
        code: "request.precondition_required",
        detail: expect.stringContaining("If-Match"),
      });
    }
    expect(await operated.show(booking.id)).toEqual(booking);
  });

  test("is answered with the ETag of the task as it stands then, for the next request", async () => {
    const booking = await operated.submit();
    const paused = await operated.onBooking(booking, "pause");
    const etag = String(paused.headers["etag"]);
    expect(etag).toBe(`"${paused.json<Shown>().version}"`);
    const resumed = await operated.act(`/v1/tasks/${booking.id}/resume`, asOperator, {
      "if-match": etag,
    });
    expect(resumed.statusCode).toBe(200);
  });

  test("about an unknown booking is refused", async () => {
    const response = await operated.act(`/v1/tasks/${crypto.randomUUID()}/cancel`, asOperator, {
      "if-match": '"1"',
    });
    expect(response.statusCode).toBe(404);
  });

  test("that is sent twice is carried out once", async () => {
    const booking = await halted(operated);
    const clicks = await Promise.all(
      Array.from({ length: 20 }, () => operated.onBooking(booking, "resubmit")),
    );
    expect(clicks.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    const refused = clicks.filter(({ statusCode }) => statusCode === 412);
    expect(refused).toHaveLength(19);
    const attempts = (await operated.claim()).filter(({ taskId }) => taskId === booking.id);
    expect(attempts.filter(({ name }) => name === "reserve")).toHaveLength(1);
  });

  test("that comes after another one is refused as about another version, whatever stands now", async () => {
    const booking = await halted(operated);
    expect((await operated.onBooking(booking, "resubmit")).statusCode).toBe(200);
    for (const act of ["resubmit", "resume", "resolve", "steps/reserve/retry"]) {
      const response = await operated.onBooking(booking, act);
      expect([act, response.statusCode, response.json().code]).toEqual([act, 412, "task.changed"]);
    }
  });

  test("about a booking that changed meanwhile is refused, and says so", async () => {
    const booking = await operated.submit();
    await operated.onBooking(booking, "pause");
    const response = await operated.onBooking(booking, "cancel");
    expect(response.statusCode).toBe(412);
    expect(response.json()).toMatchObject({
      code: "task.changed",
      detail: expect.stringContaining("version 1"),
    });
  });
});

describe("a booking", () => {
  test("without completed steps is cancelled at once", async () => {
    const response = await operated.onBooking(await operated.submit(), "cancel");
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ state: "undone" });
    expect(operated.cancelled).toEqual([]);
  });

  test("with steps in flight is undone after its Agents got a cancel hint", async () => {
    const booking = await operated.submit();
    const claims = (await operated.claim()).filter(({ taskId }) => taskId === booking.id);
    const response = await operated.onBooking(await operated.show(booking.id), "cancel");
    expect(response.json()).toMatchObject({ state: "undoing" });
    expect(operated.cancelled.map(({ token: proof }) => proof).toSorted()).toEqual(
      claims.map(({ token: proof }) => proof).toSorted(),
    );
    expect(operated.hints).toBeGreaterThan(1);
  });

  test("that has ended does not change", async () => {
    const booking = await operated.submit();
    await operated.onBooking(booking, "cancel");
    const response = await operated.onBooking(await operated.show(booking.id), "cancel");
    expect(response.statusCode).toBe(409);
    expect(response.json()).toMatchObject({ code: "task.finished" });
  });

  test("waits while it is paused, and shows who paused it and why", async () => {
    const paused = (await operated.onBooking(await operated.submit(), "pause")).json<Shown>();
    expect(paused).toMatchObject({ paused: { by: "operator:ann", reason: asOperator.reason } });
    expect((await operated.claim()).filter(({ taskId }) => taskId === paused.id)).toEqual([]);
    const again = await operated.onBooking(paused, "pause");
    expect(again.json()).toMatchObject({ status: 409, code: "task.already_paused" });
    expect((await operated.onBooking(paused, "resume")).json()).toMatchObject({ paused: null });
    expect((await operated.claim()).filter(({ taskId }) => taskId === paused.id)).toHaveLength(2);
  });

  test("that halted continues with the step that failed, with its input or a corrected one", async () => {
    const booking = await halted(operated);
    const rooms = [{ code: "other", nights: 1 }];
    const resubmitted = await operated.onBooking(booking, "resubmit", {
      step: "reserve",
      input: { rooms },
    });
    expect(stepOf(resubmitted.json(), "reserve")).toMatchObject({ processState: "pending" });
    const values = await operated.store.loadValues({
      refs: [{ taskId: booking.id, name: "reserve" }],
      most: 1_000,
    });
    expect(values.get(booking.id)?.correctedInputs.get("reserve")).toEqual({ rooms });
  });

  test("that halted continues with the output of a step done by hand", async () => {
    const booking = await halted(operated);
    const output = { reservationId: "r-by-hand" };
    const resolved = await operated.onBooking(booking, "resolve", { output });
    expect(stepOf(resolved.json(), "reserve")).toMatchObject({ processState: "processed", output });
    const history = await operated.app.inject({
      url: `/v1/tasks/${booking.id}/history`,
      headers: { authorization: `Bearer ${token}` },
    });
    expect(history.json().items).toContainEqual(
      expect.objectContaining({
        step: "reserve",
        action: "resolve",
        actor: "operator:ann",
        note: asOperator.reason,
      }),
    );
  });

  test.each([
    ["no step of it has failed", {}, 409, "task.nothing_failed", submitted],
    ["another one has", { step: "charge" }, 409, "task.step_not_failed", halted],
    ["what is given to it cannot be stored", { input: "\u0000" }, 422, "request.invalid", halted],
    [
      "what is given to it breaks the contract of its operation",
      { input: { rooms: "two" } },
      422,
      "request.invalid",
      halted,
    ],
  ])("is not resubmitted when %s", async (_, payload, status, code, begin) => {
    const response = await operated.onBooking(await begin(operated), "resubmit", payload);
    expect(response.json()).toMatchObject({ status, code });
  });
});

test("all instants of a booking are written in one way, and no host name is shown", async () => {
  const { id } = await operated.submit();
  const lockedBy = "scheduler-build-host-7-4711-3fa2b1";
  const capacity = [{ lane: "rooms", slots: 100 }];
  await operated.scheduler.claimDueSteps({ lockedBy, capacity, resendAfter: 1_000 });
  await operated.onBooking(await operated.show(id), "pause");
  const booking = (await operated.app.inject({ url: `/v1/tasks/${id}` })).body;
  const history = (await operated.app.inject({ url: `/v1/tasks/${id}/history` })).body;
  expect(booking).toContain('"completeBy":"');
  const instants = `${booking}${history}`.match(/"\d{4}-\d\d-\d\dT[^"]*"/g) ?? [];
  expect(instants.length).toBeGreaterThan(5);
  for (const one of instants) expect(one).toMatch(/^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"$/);
  expect(`${booking}${history}`).not.toContain("build-host-7");
  expect(`${booking}${history}`).toMatch(/scheduler-[0-9a-f]{8}"/);
});
