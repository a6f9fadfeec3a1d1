import { host, PermanentFault, TransientFault } from "@holdfast/agent";
import { defineAgent, defineWorkflow, exists, present } from "@holdfast/workflow";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import {
  delayRequest,
  duplicateRequest,
  fail,
  kill,
  loseReply,
  loseRequest,
  testWorkflow,
} from "./index.ts";

const Trip = z.object({ city: z.string() });
const booking = z.object({ id: z.string() });
const hotels = defineAgent("hotels", {
  book: { input: Trip, output: booking, undo: "cancel" },
});
const flights = defineAgent("flights", {
  fly: { input: z.object({ to: z.string(), hotel: z.string() }), output: booking, undo: "rebook" },
});

const limits = {
  completeWithin: "10s",
  retry: { failures: 3, backoff: "1s", max: "10s" },
} as const;
const bookTrip = defineWorkflow("book-trip.v1", Trip, ({ city }, step) => {
  const room = step("room", { call: hotels.book({ city }), ...limits });
  const seat = step("seat", { call: flights.fly({ to: city, hotel: room.id }), ...limits });
  return { room: room.id, seat: seat.id };
});

const input = { city: "Rome" };
const book = async () => ({ id: "h-1" });
const fly = async () => ({ id: "f-1" });
const undo = async () => {};

const agentsWith = (handlers: { book?: typeof book; fly?: () => Promise<{ id: string }> } = {}) => [
  host(hotels, { book: handlers.book ?? book, cancel: undo }),
  host(flights, { fly: handlers.fly ?? fly, rebook: undo }),
];
const operationsOf = (calls: readonly { readonly operation: string }[]) =>
  calls.map(({ operation }) => operation);

test("a task ends processed, with the outputs of its steps and the calls that led to them", async () => {
  const run = await testWorkflow(bookTrip, agentsWith(), { input });
  expect(run.task).toMatchObject({ state: "pending", output: null });
  expect(await run.finished()).toMatchObject({
    state: "processed",
    goal: "do",
    output: { room: "h-1", seat: "f-1" },
    steps: {
      room: { state: "processed", attempt: 1, failureCount: 0, output: { id: "h-1" } },
      seat: { state: "processed", attempt: 1 },
    },
  });
  expect(run.calls).toMatchObject([
    { agent: "hotels", operation: "book", step: "room", input, outcome: "returned" },
    { agent: "flights", operation: "fly", input: { to: "Rome", hotel: "h-1" } },
  ]);
  expect(run.task.history.map(({ action }) => action)).toContain("complete");
});

const refuse = () => Promise.reject(new PermanentFault("flights.full", "No seat is left"));

test("a task whose handler fails for good is undone in reverse order", async () => {
  const run = await testWorkflow(bookTrip, agentsWith({ fly: refuse }), { input });
  expect(await run.finished()).toMatchObject({ state: "undone", faultCode: "flights.full" });
  expect(operationsOf(run.calls)).toEqual(["book", "fly", "rebook", "cancel"]);
});

describe("a fault", () => {
  test.each(["agent.received", "agent.worked", "agent.replying"] as const)(
    "that kills an Agent at %s costs an attempt, and the step is done under the same key",
    async (at) => {
      const faults = [kill("hotels", { at, step: "room" })];
      const run = await testWorkflow(bookTrip, agentsWith(), { input, faults });
      expect((await run.finished()).state).toBe("processed");
      const keys = run.calls.filter(({ step }) => step === "room");
      expect(new Set(keys.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
      expect(run.story.some((line) => line.includes("hotels") && line.endsWith("dies"))).toBe(true);
    },
  );

  test("that loses a reply makes the Agent repeat the step, under the same key", async () => {
    const run = await testWorkflow(bookTrip, agentsWith(), { input, faults: [loseReply("room")] });
    expect((await run.finished()).steps["room"]).toMatchObject({ state: "processed", attempt: 2 });
    const [first, second] = run.calls;
    expect(second).toMatchObject({ operation: "book", attempt: 2 });
    expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
  });

  test("that loses a request makes the Scheduler send it again", async () => {
    const faults = [loseRequest("room")];
    const run = await testWorkflow(bookTrip, agentsWith(), { input, faults });
    expect((await run.finished()).state).toBe("processed");
  });

  test("that doubles a request leaves one completed step", async () => {
    const faults = [duplicateRequest("room")];
    const run = await testWorkflow(bookTrip, agentsWith(), { input, faults });
    expect((await run.finished()).steps["room"]).toMatchObject({ attempt: 1, failureCount: 0 });
  });

  test("that delays a request beyond its limit costs an attempt", async () => {
    const faults = [delayRequest("room", { by: "2m" })];
    const run = await testWorkflow(bookTrip, agentsWith(), { input, faults });
    expect((await run.finished()).state).toBe("processed");
  });

  test("fails a step as often as it says, and then lets its handler run", async () => {
    const faults = [fail("room", { times: 2 })];
    const run = await testWorkflow(bookTrip, agentsWith(), { input, faults });
    expect((await run.finished()).steps["room"]).toMatchObject({ state: "processed", attempt: 3 });
    expect(operationsOf(run.calls)).toEqual(["book", "fly"]);
  });

  test("fails an undo, which is retried until it is done", async () => {
    const faults = [
      fail("seat", { error: new PermanentFault("flights.full", "No seat is left") }),
      fail("room:undo", { times: 4 }),
    ];
    const run = await testWorkflow(bookTrip, agentsWith(), { input, faults });
    expect(await run.finished()).toMatchObject({
      state: "undone",
      steps: { "room:undo": { state: "processed", attempt: 5 } },
    });
  });
});

test("virtual time passes only when the test advances it, and a test can wait until an outage is over", async () => {
  let isDown = true;
  const patient = defineWorkflow("patient-trip.v1", Trip, ({ city }, step) => {
    step("room", { call: hotels.book({ city }), ...limits, coolDown: { wait: "5m", times: null } });
  });
  const bookWhenUp = async () => {
    if (isDown) throw new TransientFault("hotels.unavailable", "The hotel does not answer");
    return { id: "h-1" };
  };
  const agents = [host(hotels, { book: bookWhenUp, cancel: undo })];
  const run = await testWorkflow(patient, agents, { input });
  await run.advance("20m");
  expect(run.task).toMatchObject({ state: "processing", steps: { room: { state: "pending" } } });
  isDown = false;
  await run.advance("5m");
  expect(run.task.state).toBe("processed");
});

/** Answers late, as over a network. */
const slow = async () => {
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  return { id: "h-2" };
};

test("virtual time waits for a handler with real I/O", async () => {
  const run = await testWorkflow(bookTrip, agentsWith({ book: slow }), { input });
  expect((await run.finished()).steps["room"]).toMatchObject({ attempt: 1, output: { id: "h-2" } });
});

test("a handler that waits for its signal is stopped at its deadline, in virtual time", async () => {
  let isFirst = true;
  const hangs = defineAgent("hotels", hotelsOperations());
  const agents = [
    host(hangs, {
      book: async (_, { signal }) => {
        if (!isFirst) return { id: "h-3" };
        isFirst = false;
        const { promise, reject } = Promise.withResolvers<never>();
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        return promise;
      },
      cancel: undo,
    }),
    host(flights, { fly, rebook: undo }),
  ];
  const run = await testWorkflow(bookTrip, agents, { input, timeout: 5 });
  expect((await run.finished()).steps["room"]).toMatchObject({ attempt: 2, output: { id: "h-3" } });
});

const hotelsOperations = () => ({
  book: { input: Trip, output: booking, undo: "cancel" as const },
});

const down = () =>
  Promise.reject(new TransientFault("hotels.unavailable", "The hotel service does not answer"));

test("a step that waits for a signal takes the one that the test sends, and refuses others", async () => {
  const Paid = z.object({ paymentId: z.string() });
  const payLater = defineWorkflow("pay-later.v1", Trip, ({ city }, step) => {
    step("room", { call: hotels.book({ city }), ...limits });
    const paid = step.wait("paid", { signal: Paid, within: "30d", onDeadline: "fail" });
    return paid.payload.paymentId;
  });
  const agents = [host(hotels, { book, cancel: undo })];
  const run = await testWorkflow(payLater, agents, { input });
  await run.advance("10s");
  expect(run.task.steps["paid"]?.state).toBe("awaiting");
  expect(() => run.signal("payed", {})).toThrow("No step of pay-later.v1 waits for a signal payed");
  expect(() => run.signal("paid", {})).toThrow("The payload of paid at /paymentId is missing");
  run.signal("paid", { paymentId: "p-1" });
  expect(await run.finished()).toMatchObject({ state: "processed", output: "p-1" });
  expect(() => run.signal("paid", { paymentId: "p-2" })).toThrow("signal.too_late");

  const unpaid = await testWorkflow(payLater, agents, { input });
  expect(await unpaid.finished({ within: "31d" })).toMatchObject({
    state: "undone",
    faultCode: "wait.expired",
  });
});

test("a step that people decide takes what the test says for them, and refuses others", async () => {
  const Release = z.object({ costCentre: z.string() });
  const approved = defineWorkflow("approved-trip.v1", Trip, ({ city }, step) => {
    step("room", { call: hotels.book({ city }), ...limits });
    const release = step.approve("release", {
      audience: "travel-desk",
      not: "submitter",
      form: Release,
      within: "2d",
      onDeadline: "reject",
    });
    return release.form.costCentre;
  });
  const agents = [host(hotels, { book, cancel: undo })];
  const run = await testWorkflow(approved, agents, { input, submittedBy: "sam" });
  await run.advance("10s");
  expect(run.task.steps["release"]?.state).toBe("awaiting");
  const form = { costCentre: "c-1" };
  const ada = { by: "ada", decision: "approve" } as const;
  expect(() => run.decide("relase", ada)).toThrow("approval.unknown");
  expect(() => run.decide("release", ada)).toThrow("The form of release at / must be object");
  expect(() => run.decide("release", { ...ada, by: "sam", form })).toThrow("approval.excluded");
  run.decide("release", { ...ada, form });
  expect(await run.finished()).toMatchObject({ state: "processed", output: "c-1" });
  expect(() => run.decide("release", { by: "bob", decision: "reject", reason: "no" })).toThrow(
    "The decision about release is refused: approval.over",
  );

  const rejected = await testWorkflow(approved, agents, { input });
  await rejected.advance("10s");
  rejected.decide("release", { by: "bob", decision: "reject", reason: "too dear" });
  expect(await rejected.finished()).toMatchObject({
    state: "undone",
    faultCode: "approval.rejected",
  });
});

test("a task that does not end is an error that says where it stands", async () => {
  const endless = defineWorkflow("endless-trip.v1", Trip, ({ city }, step) => {
    step("room", { call: hotels.book({ city }), ...limits, coolDown: { wait: "1h", times: null } });
  });
  const run = await testWorkflow(endless, [host(hotels, { book: down, cancel: undo })], { input });
  await expect(run.finished({ within: "2h" })).rejects.toThrow(
    /still processing after 2h of virtual time[^]*room: pending, attempt \d+/,
  );
});

test.each<[string, () => Promise<unknown>, string]>([
  [
    "an Agent that is missing",
    () => testWorkflow(bookTrip, agentsWith().slice(0, 1), { input }),
    "book-trip.v1 calls the Agent flights: add host(flights, …) to the Agents",
  ],
  [
    "a fault of a step that there is not",
    () => testWorkflow(bookTrip, agentsWith(), { input, faults: [loseReply("car")] }),
    "loseReply: book-trip.v1 has no step car; its steps are room, room:undo, seat, seat:undo",
  ],
  [
    "an Agent to kill that there is not",
    () =>
      testWorkflow(bookTrip, agentsWith(), {
        input,
        faults: [kill("cars", { at: "agent.worked" })],
      }),
    "kill: there is no Agent cars",
  ],
  [
    "an input that the workflow does not accept",
    () => testWorkflow(bookTrip, agentsWith(), { input: {} as typeof input }),
    "book-trip.v1 does not accept this input",
  ],
])("%s is refused before anything runs", async (_, start, message) => {
  await expect(start()).rejects.toThrow(message);
});

describe("a value that a caller may leave out", () => {
  const Note = z.object({
    to: z.string(),
    note: z.string().optional(),
    address: z.object({ city: z.string() }).optional(),
  });
  const mail = defineAgent("mail", {
    send: {
      input: z.object({
        to: z.string(),
        note: z.string().optional(),
        city: z.string().optional(),
        list: z.array(z.string().nullable()),
      }),
      output: z.null(),
    },
  });
  const greet = defineWorkflow("greet.v1", Note, ({ to, note, address }, step) => {
    step("send", {
      call: mail.send({ to, note, city: address.city, list: [to, note] }),
      ...limits,
    });
    return { to, note, all: [note] };
  });
  const send = async () => null;

  test("is left out of what a step is given and of the result, and is null in a list", async () => {
    const run = await testWorkflow(greet, [host(mail, { send })], { input: { to: "ann" } });
    expect(await run.finished()).toMatchObject({ state: "processed" });
    expect(run.calls.map((call) => call.input)).toEqual([{ to: "ann", list: ["ann", null] }]);
    expect(run.task.output).toEqual({ to: "ann", all: [null] });
  });

  test("is handed on where the caller does not leave it out", async () => {
    const whole = { to: "ann", note: "hi", address: { city: "Bonn" } };
    const run = await testWorkflow(greet, [host(mail, { send })], { input: whole });
    await run.finished();
    expect(run.calls.map((call) => call.input)).toEqual([
      { to: "ann", note: "hi", city: "Bonn", list: ["ann", "hi"] },
    ]);
    expect(run.task.output).toEqual({ to: "ann", note: "hi", all: ["hi"] });
  });

  test("halts the task where only an output shows that a step needs it, and nothing is undone", async () => {
    const texts = defineAgent("texts", {
      write: {
        input: z.object({}),
        // No JSON Schema says what comes out of it.
        output: z.object({ note: z.any() }).transform(({ note }) => ({ note: note as string })),
        undo: "erase",
      },
    });
    const need = defineAgent("need", {
      take: { input: z.object({ note: z.string() }), output: z.null() },
    });
    const pass = defineWorkflow("pass.v1", z.object({}), (_, step) => {
      const text = step("write", { call: texts.write({}), ...limits });
      step("take", { call: need.take({ note: text.note }), ...limits });
    });
    const agents = [
      host(texts, { write: async () => ({ note: undefined }), erase: undo }),
      host(need, { take: send }),
    ];
    const run = await testWorkflow(pass, agents, { input: {} });
    await run.advance("1m");
    expect(run.task).toMatchObject({
      state: "halted",
      goal: "do",
      faultCode: "step.input_unresolvable",
      steps: { write: { state: "processed" }, take: { state: "error", failureCount: 0 } },
    });
    expect(operationsOf(run.calls)).toEqual(["write"]);
  });

  test("is refused where it must be there and the schema says that it may not", async () => {
    const need = defineAgent("need", {
      take: { input: z.object({ note: z.string() }), output: z.null() },
    });
    const hopeful = defineWorkflow("hopeful.v1", Note, ({ note }, step) => {
      step("take", { call: need.take({ note: present(note) }), ...limits });
    });
    const agents = [host(need, { take: send })];
    await expect(testWorkflow(hopeful, agents, { input: { to: "ann" } })).rejects.toThrow(
      /hopeful\.v1: \/steps\/0\/input\/note takes \/input\/note, which may be missing/,
    );
    const careful = defineWorkflow("careful.v1", Note, ({ note }, step) => {
      step("take", {
        onlyIf: exists(note),
        call: need.take({ note: present(note) }),
        ...limits,
      });
    });
    const run = await testWorkflow(careful, agents, { input: { to: "ann" } });
    expect(await run.finished()).toMatchObject({ state: "processed" });
  });
});
