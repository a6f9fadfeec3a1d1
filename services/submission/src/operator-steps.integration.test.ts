import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { delayed, halted, haltedUndo, stepOf, submitted } from "../test/halted-bookings.ts";
import { halting, type OperatedService, openOperated, type Shown } from "../test/operated.ts";

let operated: OperatedService;

beforeAll(async () => {
  operated = await openOperated();
});
afterAll(async () => {
  await operated[Symbol.asyncDispose]();
});
beforeEach(() => operated.forgetHints());

describe("a step that is delayed", () => {
  test("is retried at once if an operator requests it", async () => {
    const booking = await delayed(operated);
    expect((await operated.claim()).filter(({ taskId }) => taskId === booking.id)).toEqual([]);
    const response = await operated.onBooking(booking, "steps/reserve/retry");
    expect(response.statusCode).toBe(200);
    expect(operated.hints).toBeGreaterThan(0);
    const claims = (await operated.claim()).filter(({ taskId }) => taskId === booking.id);
    expect(claims).toMatchObject([{ name: "reserve", attempt: 2 }]);
  });

  test.each([
    [
      "a booking that is paused",
      async () => {
        const booking = await delayed(operated);
        return (await operated.onBooking(booking, "pause")).json<Shown>();
      },
      "reserve",
      409,
      "task.is_paused",
    ],
    ["a step that is due", submitted, "reserve", 409, "task.not_delayed"],
    ["a step that has failed for good", halted, "reserve", 409, "task.not_pending"],
    ["a step that the booking does not have", submitted, "reserv", 404, "task.unknown_step"],
  ])("is not retried: %s", async (_, begin, step, status, code) => {
    const response = await operated.onBooking(await begin(operated), `steps/${step}/retry`);
    expect(response.json()).toMatchObject({ status, code });
  });

  test("is retried only in the version that the operator has seen", async () => {
    const booking = await delayed(operated);
    const response = await operated.onBooking({ ...booking, version: 1 }, "steps/reserve/retry");
    expect(response.json()).toMatchObject({ status: 412, code: "task.changed" });
  });
});

describe("an undo that failed for good", () => {
  test("is resolved without an output, and the booking keeps the code that it is undone for", async () => {
    const booking = await haltedUndo(operated);
    expect(booking).toMatchObject({ state: "halted", faultCode: "operator.cancel" });
    const response = await operated.onBooking(booking, "resolve");
    const resolved = response.json<Shown>();
    expect(resolved).toMatchObject({ faultCode: "operator.cancel" });
    expect(stepOf(resolved, "reserve:undo")).toMatchObject({ processState: "processed" });
  });
});

test("a step that is done by hand must have an output", async () => {
  const response = await operated.onBooking(await halted(operated), "resolve");
  expect(response.json()).toMatchObject({
    status: 422,
    detail: expect.stringContaining("what step reserve returned"),
  });
});

test("a step is not done by hand with an output that breaks the contract of its operation", async () => {
  const booking = await halted(operated);
  for (const output of [{ reservationId: 5 }, {}, null]) {
    const response = await operated.onBooking(booking, "resolve", { output });
    expect(response.json()).toMatchObject({
      status: 422,
      code: "request.invalid",
      detail: expect.stringMatching(/The output at .* rely on its contract/),
    });
  }
  expect(await operated.show(booking.id)).toEqual(booking);
});

describe("a step that waits", () => {
  const resting = {
    ...halting,
    name: "resting.v1",
    format: 2 as const,
    completeWithin: 3_600_000,
    steps: [
      {
        kind: "wait" as const,
        name: "rest",
        after: [],
        onlyIf: null,
        onFailure: "undo" as const,
        for: 86_400_000,
      },
      ...halting.steps.map((step) => ({ ...step, after: [...step.after, "rest"] })),
    ],
  };
  const { collection: _, ...definition } = resting;
  const submit = async () => {
    await operated.store.registerWorkflow(definition);
    const { id } = await operated.submit();
    const input = (await operated.app.inject({ url: `/v1/tasks/${id}` })).json<{ input: object }>();
    const response = await operated.act("/v1/tasks", {
      workflow: "resting.v1",
      input: input.input,
    });
    return operated.show(response.json<{ id: string }>().id);
  };

  test("shows until when, and ends before its time if an operator says so, once", async () => {
    const task = await submit();
    expect(stepOf(task, "rest")).toMatchObject({
      processState: "awaiting",
      kind: "wait",
      awaiting: { until: expect.any(String) },
    });
    const response = await operated.onBooking(task, "steps/rest/fire");
    expect(response.statusCode).toBe(200);
    const after = response.json<Shown>();
    expect(stepOf(after, "rest")).toMatchObject({
      processState: "processed",
      awaiting: null,
      output: { fired: "operator", at: expect.any(String) },
    });
    expect((await operated.claim()).some(({ taskId }) => taskId === task.id)).toBe(true);
    expect((await operated.onBooking(after, "steps/rest/fire")).json()).toMatchObject({
      status: 409,
      code: "task.not_awaiting",
    });
    expect((await operated.onBooking(after, "steps/nap/fire")).statusCode).toBe(404);
  });

  test("is fired by the version that was seen alone", async () => {
    const task = await submit();
    const paused = await operated.onBooking(task, "pause");
    expect(paused.statusCode).toBe(200);
    expect((await operated.onBooking(task, "steps/rest/fire")).statusCode).toBe(412);
  });
});
