import type { Json } from "@holdfast/domain";
import { defineAgent, defineWorkflow, equals } from "@holdfast/workflow";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { type Case, CaseMismatch, coverageOf, pathsOf, readCase, runCase } from "../index.ts";

const Trip = z.object({ city: z.string(), insured: z.boolean() });
const booking = z.object({ id: z.string() });
const hotels = defineAgent("hotels", {
  book: { input: z.object({ city: z.string() }), output: booking, undo: "cancel" },
});
const flights = defineAgent("flights", {
  fly: { input: z.object({ hotel: z.string() }), output: booking, undo: "rebook" },
  insure: { input: z.object({ flight: z.string() }), output: z.null() },
});
const retry = { failures: 3, backoff: "1s", max: "10s" } as const;
const { definition } = defineWorkflow("book-trip.v1", Trip, ({ city, insured }, step) => {
  const room = step("room", {
    call: hotels.book({ city }),
    completeWithin: "5m",
    extendUpTo: "3h",
    retry,
  });
  const seat = step("seat", {
    call: flights.fly({ hotel: room.id }),
    completeWithin: "10s",
    retry,
  });
  step("cover", {
    call: flights.insure({ flight: seat.id }),
    completeWithin: "10s",
    retry,
    onlyIf: equals(insured, true),
    onFailure: "halt",
  });
  return { room: room.id, seat: seat.id };
});

const run = (steps: Json, expectations: Json = { state: "processed" }, insured = false) => {
  const json = {
    name: "a case",
    workflow: "book-trip.v1",
    input: { city: "Rome", insured },
    steps,
    expect: expectations,
  };
  const { case: one, faults } = readCase(json);
  expect(faults).toEqual([]);
  return runCase(definition, one as Case);
};
const problems = async (...asked: Parameters<typeof run>) => (await run(...asked)).failures;

describe("a scripted handler", () => {
  test("returns what the case says, and a sample that fits its contract where it says nothing", async () => {
    const seen = await run({ room: [{ reply: { id: "h-1" } }] });
    expect(seen.failures).toEqual([]);
    expect(seen.task.output).toEqual({ room: "h-1", seat: expect.any(String) });
  });

  test("fails as often as the case says, and then succeeds", async () => {
    const expected = { state: "processed", calls: ["room", "room", "room", "seat"] };
    expect(await problems({ room: [{ fail: "hotels.down", times: 2 }] }, expected)).toEqual([]);
  });

  test("declines, and what is done is undone", async () => {
    const expected = { state: "undone", faultCode: "flights.full", undos: ["room"] };
    expect(await problems({ seat: [{ decline: "flights.full" }] }, expected)).toEqual([]);
  });

  test("fails for good with an unknown outcome, and is undone as well", async () => {
    const fault = { code: "flights.odd", transient: false };
    const expected = { state: "undone", undos: ["seat", "room"] };
    expect(await problems({ seat: [{ fail: fault }] }, expected)).toEqual([]);
  });

  test("is silent until its deadline has passed, and is asked again", async () => {
    const expected = { state: "processed", steps: { seat: { attempts: 2 } } };
    expect(await problems({ seat: [{ silence: true }] }, expected)).toEqual([]);
  });

  test("replies too late, and the reply to the next attempt counts", async () => {
    const steps = { seat: [{ late: { id: "late" } }, { reply: { id: "second" } }] };
    const expected = {
      state: "processed",
      steps: { seat: { attempts: 2, output: { id: "second" } } },
    };
    expect(await problems(steps, expected)).toEqual([]);
  });

  test("dies after the effect, and the same attempt is made again", async () => {
    const expected = {
      state: "processed",
      calls: ["room", "room", "seat"],
      steps: { room: { attempts: 1 } },
    };
    expect(await problems({ room: [{ crash: true }] }, expected)).toEqual([]);
  });

  test("takes two hours if its step allows that", async () => {
    const steps = { room: [{ advance: "2h", reply: { id: "h-1" } }] };
    const expected = { state: "processed", steps: { room: { attempts: 1 } } };
    expect(await problems(steps, expected)).toEqual([]);
  });

  test("takes longer than its step allows, and is given up", async () => {
    const steps = { seat: [{ advance: "2h", reply: { id: "f-1" } }] };
    const expected = { state: "processed", steps: { seat: { attempts: 2 } } };
    expect(await problems(steps, expected)).toEqual([]);
  });
});

test("what is not as expected is said with what was, and nothing else", async () => {
  const expected = {
    state: "undone",
    calls: ["room"],
    undos: [],
    steps: { room: { attempts: 2 }, "seat:undo": { state: "processed" } },
  };
  expect(await problems({}, expected)).toEqual([
    'state: expected "undone", was "processed"',
    'calls: expected ["room"], was ["room","seat"]',
    "steps/room/attempts: expected 2, was 1",
    "steps/seat:undo: the task has no such step: it was not undone",
  ]);
});

test("a task that does not end in the time that the case gives it fails the case", async () => {
  const expected = { state: "processed", within: "1m" };
  const [first] = await problems({ seat: [{ fail: { code: "a.b", retryAfter: "1h" } }] }, expected);
  expect(first).toMatch(/^the task is still processing after 1m/);
});

test("a case that does not fit its workflow is refused before it runs, with every fault", async () => {
  const json = {
    name: "a case",
    workflow: "book-trip.v1",
    input: { city: 5, insured: true },
    steps: { seat: [{ reply: { nr: 1 } }], set: [{ reply: 1 }], "cover:undo": [] },
    expect: { undos: ["cover"], steps: { rom: {} } },
  };
  const refused = runCase(definition, readCase(json).case as Case);
  await expect(refused).rejects.toThrow(CaseMismatch);
  const faults = await refused.catch((error: CaseMismatch) => error.faults);
  expect(faults).toEqual([
    { pointer: "/input/city", detail: "must be string" },
    {
      pointer: "/steps/seat/0/reply",
      detail: expect.stringContaining("is not what flights.fly returns"),
    },
    {
      pointer: "/steps/set",
      detail: expect.stringContaining("has no step set; it has room, room:undo, seat"),
    },
    { pointer: "/steps/cover:undo", detail: expect.stringContaining("has no step cover:undo") },
    { pointer: "/expect/steps/rom", detail: expect.stringContaining("has no step rom") },
    { pointer: "/expect/undos/0", detail: expect.stringContaining("has no step cover") },
  ]);
});

describe("the coverage of a workflow", () => {
  const takenBy = async (...cases: readonly Parameters<typeof run>[]) => {
    const results = await Promise.all(cases.map((one) => run(...one)));
    return coverageOf(
      definition,
      results.map(({ paths }) => paths),
    );
  };

  test("counts what each step may do, and each way of undoing", () => {
    const { paths, undoPaths } = pathsOf(definition);
    expect(paths).toEqual([
      "room is done",
      "room is retried",
      "seat is done",
      "seat is retried",
      "cover is done",
      "cover is skipped",
      "cover is retried",
      "cover halts the task",
    ]);
    expect(undoPaths).toEqual([
      "room fails and the task is undone",
      "room is undone",
      "room is undone although its outcome is unknown",
      "the undo of room fails for good",
      "seat fails and the task is undone",
      "seat is undone although its outcome is unknown",
      "the undo of seat fails for good",
    ]);
  });

  test("adds up what its cases take, and names what none takes", async () => {
    const coverage = await takenBy(
      [{}],
      [{ room: [{ fail: "a.b" }] }, undefined, true],
      [{ seat: [{ decline: "a.b" }] }],
      [{ cover: [{ decline: "a.b" }] }, undefined, true],
    );
    expect(coverage.paths).toMatchObject({ all: 8, taken: 6 });
    expect(coverage.paths.missing).toEqual(["seat is retried", "cover is retried"]);
    expect(coverage.undoPaths).toMatchObject({ all: 7, taken: 2 });
    expect(coverage.undoPaths.missing).not.toContain("room is undone");
  });

  test("can be complete", async () => {
    const odd = { fail: { code: "a.b", transient: false } };
    const coverage = await takenBy(
      [{}],
      [
        { room: [{ fail: "a.b" }], seat: [{ fail: "a.b" }], cover: [{ fail: "a.b" }] },
        undefined,
        true,
      ],
      [{ cover: [odd] }, undefined, true],
      [{ seat: [odd] }],
      [{ room: [odd] }],
      [{ seat: [odd], "seat:undo": [odd] }],
      [{ seat: [odd], "room:undo": [odd] }],
    );
    expect(coverage.paths.missing).toEqual([]);
    expect(coverage.undoPaths.missing).toEqual([]);
  });
});

describe("a case of a workflow that waits", () => {
  const resting = defineWorkflow("resting.v1", Trip, ({ city }, step) => {
    const room = step("room", { call: hotels.book({ city }), completeWithin: "5m", retry });
    step.sleep("stay", { for: "365d" });
    step("seat", { call: flights.fly({ hotel: room.id }), completeWithin: "10s", retry });
  }).definition;
  const rested = (steps: Json, expectations: Json, more: { readonly cancelAfter?: string } = {}) =>
    runCase(
      resting,
      readCase({
        name: "a case",
        workflow: "resting.v1",
        input: { city: "Rome", insured: false },
        steps,
        expect: expectations,
        ...more,
      }).case as Case,
    );

  test("passes over a year at once, and each path through the wait can be taken", async () => {
    const done = await rested({}, { state: "processed", within: "366d" });
    expect(done.failures).toEqual([]);
    expect(done.task.steps["stay"]?.output).toMatchObject({ fired: "deadline" });
    const undone = await rested(
      { seat: [{ decline: "flights.full" }] },
      { state: "undone", within: "366d", undos: ["room"] },
    );
    expect(undone.failures).toEqual([]);
    expect(pathsOf(resting).paths).toContain("stay is done");
    expect(coverageOf(resting, [done.paths]).paths.missing).not.toContain("stay is done");
  });

  test("is cancelled while it waits, after the time that it says: the wait is cut short", async () => {
    const cut = await rested(
      {},
      {
        state: "undone",
        faultCode: "operator.cancel",
        undos: ["room"],
        steps: { stay: { state: "cancelled" }, seat: { state: "cancelled", attempts: 0 } },
        within: "101d",
      },
      { cancelAfter: "100d" },
    );
    expect(cut.failures).toEqual([]);
    const before = await rested({}, { within: "99d" }, { cancelAfter: "100d" });
    expect(before.failures[0]).toBe("the task is still processing after 99d of virtual time");
    expect(before.task.steps["stay"]?.state).toBe("awaiting");
    expect(coverageOf(resting, [cut.paths]).undoPaths.missing).not.toContain(
      "stay is cut short by an undo",
    );
  });

  test("fails if the task has ended before it could be cancelled", async () => {
    const { failures } = await rested(
      {},
      { state: "processed", within: "400d" },
      { cancelAfter: "370d" },
    );
    expect(failures).toEqual([
      "the task was to be cancelled after 370d, and had ended or halted before",
    ]);
  });
});

describe("a case of a workflow that waits for signals", () => {
  const Paid = z.object({ paymentId: z.string() });
  const paying = defineWorkflow("paying.v1", Trip, ({ city }, step) => {
    const room = step("room", { call: hotels.book({ city }), completeWithin: "5m", retry });
    const paid = step.wait("paid", { signal: Paid, within: "30d", onDeadline: "fail" });
    step("seat", { call: flights.fly({ hotel: room.id }), completeWithin: "10s", retry });
    step.wait("rated", { signal: z.int(), within: "365d", onDeadline: "continue", late: "alert" });
    return { paid: paid.payload.paymentId };
  }).definition;
  const payment = { name: "paid", after: "3d", payload: { paymentId: "p-1" } };
  const rating = { name: "rated", after: "200d", payload: 5 };
  const paidFor = (
    signals: readonly Json[],
    expectations: Json,
    more: { readonly cancelAfter?: string; readonly steps?: Json } = {},
  ) => {
    const { case: one, faults } = readCase({
      name: "a case",
      workflow: "paying.v1",
      input: { city: "Rome", insured: false },
      signals,
      expect: expectations,
      ...more,
    });
    expect(faults).toEqual([]);
    return runCase(paying, one as Case);
  };
  const lasting = { within: "500d" };

  test("hands on what a signal carries, and takes no time for the months between", async () => {
    const seen = await paidFor([payment, rating], {
      state: "processed",
      output: { paid: "p-1" },
      ...lasting,
    });
    expect(seen.failures).toEqual([]);
    expect(seen.task.steps["rated"]?.output).toMatchObject({ fired: "signal", payload: 5 });
    expect(seen.paths).toContain("paid gets its signal");
  });

  test("fails, or goes on, where none comes in time", async () => {
    const failed = await paidFor([], {
      state: "undone",
      faultCode: "wait.expired",
      undos: ["room"],
      ...lasting,
    });
    expect(failed.failures).toEqual([]);
    const unrated = await paidFor([payment], { state: "processed", ...lasting });
    expect(unrated.failures).toEqual([]);
    expect(unrated.task.steps["rated"]?.output).toMatchObject({ fired: "deadline", payload: null });
  });

  test("has all its ways covered by signals that come early, once, twice and never", async () => {
    const odd = { fail: { code: "hotels.odd", transient: false } };
    const seen = [
      await paidFor([{ ...payment, after: "0s" }, rating], { state: "processed", ...lasting }),
      await paidFor([{ ...payment, times: 2 }], { state: "processed", ...lasting }),
      await paidFor(
        [{ ...rating, after: "1d" }],
        { state: "undone", ...lasting },
        { cancelAfter: "2d" },
      ),
      await paidFor(
        [payment, { ...rating, after: "1d", times: 3, id: "r" }],
        { state: "processed", ...lasting },
        { steps: { room: [{ fail: "hotels.down" }], seat: [{ fail: "flights.down" }] } },
      ),
      await paidFor([], { state: "undone", ...lasting }),
      await paidFor([payment], { state: "undone", ...lasting }, { cancelAfter: "9d" }),
      await paidFor([], { state: "undone" }, { steps: { room: [odd] } }),
      await paidFor([payment], { state: "undone", ...lasting }, { steps: { seat: [odd] } }),
      await paidFor([], { state: "halted", ...lasting }, { steps: { "room:undo": [odd] } }),
      await paidFor(
        [payment],
        { state: "halted", ...lasting },
        { steps: { seat: [odd], "seat:undo": [odd] } },
      ),
    ];
    const { paths, undoPaths } = coverageOf(
      paying,
      seen.map((one) => one.paths),
    );
    expect(paths.missing).toEqual([]);
    expect(undoPaths.missing).toEqual([]);
    expect(seen.flatMap(({ failures }) => failures)).toEqual([]);
  });

  test("says of a signal that it was refused, and takes the refusal that it expects", async () => {
    const cancelled = [{ ...payment, after: "2d" }, 1] as const;
    const late = { state: "undone", ...lasting };
    const refused = { ...cancelled[0], refused: "signal.too_late" };
    const expected = await paidFor([refused], late, { cancelAfter: "1d" });
    expect(expected.failures).toEqual([]);
    const unexpected = await paidFor([cancelled[0]], late, { cancelAfter: "1d" });
    expect(unexpected.failures).toEqual([
      "signals/0: paid was to be sent after 2d, and the task had ended or halted before",
    ]);
    const taken = await paidFor([{ ...refused, after: "1h" }], { state: "processed", ...lasting });
    expect(taken.failures).toEqual(["signals/0: expected signal.too_late, was accepted"]);
    const twice = [payment, { ...payment, payload: { paymentId: "p-2" } }];
    const reused = await paidFor(
      twice.map((one) => ({ ...one, id: "a" })),
      { state: "processed", ...lasting },
    );
    expect(reused.failures).toEqual([
      "signals/1: expected to be accepted, was refused: signal.id_reused",
    ]);
  });

  test("is refused where a payload does not fit, or no step waits for its signal", async () => {
    const signals = [
      { ...payment, payload: { paymentId: 1, more: 2 } },
      { ...payment, name: "payd" },
    ];
    await expect(paidFor(signals, { state: "processed" })).rejects.toThrow(CaseMismatch);
    await expect(paidFor(signals, { state: "processed" })).rejects.toMatchObject({
      faults: expect.arrayContaining([
        { pointer: "/signals/0/payload/paymentId", detail: "must be string" },
        { pointer: "/signals/0/payload/more", detail: "is no field of the signal" },
        {
          pointer: "/signals/1/name",
          detail: "no step of paying.v1 waits for a signal payd; it has paid, rated",
        },
      ]),
    });
  });

  test("waits for ever, and says so once its time is over", async () => {
    const endless = defineWorkflow("endless.v1", Trip, (_, step) => {
      step.wait("paid", { signal: Paid, within: "for-ever", onDeadline: "continue" });
    }).definition;
    const { case: one } = readCase({
      name: "a case",
      workflow: "endless.v1",
      input: { city: "Rome", insured: false },
      expect: { state: "processed", within: "1000d" },
    });
    const { failures } = await runCase(endless, one as Case);
    expect(failures[0]).toBe("the task is still processing after 1000d of virtual time");
    expect(pathsOf(endless).paths).toEqual(["paid gets its signal", "paid gets its signal twice"]);
  });
});

describe("a case of a workflow that people approve", () => {
  const Approved = z.object({ account: z.string(), note: z.string().optional() });
  const Asked = Trip.extend({ traveller: z.string() });
  const releasing = defineWorkflow("releasing.v1", Asked, ({ city, traveller }, step) => {
    const room = step("room", { call: hotels.book({ city }), completeWithin: "5m", retry });
    const release = step.approve("release", {
      audience: "travel-desk",
      quorum: 2,
      not: ["submitter", traveller],
      form: Approved,
      within: "2d",
      remindAfter: "4h",
      onDeadline: "reject",
      show: { city },
    });
    step("seat", { call: flights.fly({ hotel: room.id }), completeWithin: "10s", retry });
    step.approve("closing", {
      audience: "travel-desk",
      within: "30d",
      onDeadline: "approve",
      onFailure: "halt",
    });
    return { account: release.form.account, by: release.by };
  }).definition;
  const ada = { step: "release", by: "ada", decision: "approve", form: { account: "a-1" } };
  const bob = { ...ada, by: "bob", form: { account: "b-2" }, reason: "as agreed" };
  const no = { step: "release", by: "eve", decision: "reject", reason: "too dear", after: "5h" };
  const closed = { step: "closing", by: "ada", decision: "approve", after: "10h" };
  const both = [
    { ...ada, after: "2h" },
    { ...bob, after: "3h" },
  ];
  const decided = (
    decisions: readonly Json[],
    expectations: Json,
    more: { readonly cancelAfter?: string; readonly steps?: Json } = {},
  ) => {
    const { case: one, faults } = readCase({
      name: "a case",
      workflow: "releasing.v1",
      input: { city: "Rome", insured: false, traveller: "tess" },
      submittedBy: "sam",
      decisions,
      expect: expectations,
      ...more,
    });
    expect(faults).toEqual([]);
    return runCase(releasing, one as Case);
  };
  const lasting = { within: "90d" };

  test("hands on what the last one filled in who approved, and who did", async () => {
    const seen = await decided([...both, closed], {
      state: "processed",
      steps: { release: { state: "processed" }, closing: { state: "processed" } },
      ...lasting,
    });
    expect(seen.failures).toEqual([]);
    expect(seen.task.output).toEqual({
      account: "b-2",
      by: [
        { id: "ada", name: "ada", at: expect.any(String), reason: null },
        { id: "bob", name: "bob", at: expect.any(String), reason: "as agreed" },
      ],
    });
    expect(seen.task.steps["closing"]?.output).toMatchObject({
      decision: "approved",
      fired: "approval",
      form: null,
    });
  });

  test("is undone where one rejects it, although another has approved", async () => {
    const { failures } = await decided([both[0]!, no], {
      state: "undone",
      faultCode: "approval.rejected",
      undos: ["room"],
      steps: { release: { state: "error", faultCode: "approval.rejected" } },
    });
    expect(failures).toEqual([]);
  });

  test("is undone where its time passes before enough have approved", async () => {
    const { failures } = await decided([both[0]!], {
      state: "undone",
      faultCode: "approval.rejected",
      undos: ["room"],
      within: "3d",
    });
    expect(failures).toEqual([]);
  });

  test("goes on at a deadline that approves, with those who did by then", async () => {
    const seen = await decided(both, { state: "processed", ...lasting });
    expect(seen.failures).toEqual([]);
    expect(seen.task.steps["closing"]?.output).toMatchObject({ fired: "deadline", by: [] });
  });

  test("has all its ways covered by decisions that come, are refused, and never come", async () => {
    const odd = { fail: { code: "hotels.odd", transient: false } };
    const doubts = { room: [{ fail: "hotels.down" }], seat: [{ fail: "flights.down" }] };
    const rejecting = { ...closed, decision: "reject", reason: "not done" };
    const seen = [
      await decided([...both, closed], { state: "processed", ...lasting }, { steps: doubts }),
      await decided(both, { state: "processed", ...lasting }),
      await decided([...both, rejecting], { state: "halted", ...lasting }),
      await decided([no], { state: "undone" }),
      await decided([], { state: "undone", within: "3d" }),
      await decided([], { state: "undone" }, { cancelAfter: "1h" }),
      await decided(both, { state: "undone", ...lasting }, { cancelAfter: "9d" }),
      await decided([], { state: "undone" }, { steps: { room: [odd] } }),
      await decided([no], { state: "halted" }, { steps: { "room:undo": [odd] } }),
      await decided(both, { state: "undone" }, { steps: { seat: [odd] } }),
      await decided(both, { state: "halted" }, { steps: { seat: [odd], "seat:undo": [odd] } }),
    ];
    const { paths, undoPaths } = coverageOf(
      releasing,
      seen.map((one) => one.paths),
    );
    expect(paths.missing).toEqual([]);
    expect(undoPaths.missing).toEqual([]);
    expect(seen.flatMap(({ failures }) => failures)).toEqual([]);
    const all = pathsOf(releasing);
    expect(all.paths).toEqual(
      expect.arrayContaining([
        "release is approved",
        "closing is approved by its deadline",
        "closing is rejected and halts the task",
      ]),
    );
    expect(all.paths).not.toContain("release is approved by its deadline");
    expect(all.undoPaths).toEqual(
      expect.arrayContaining([
        "release is rejected and the task is undone",
        "release is not decided in time and the task is undone",
        "release is cut short by an undo",
        "closing is cut short by an undo",
      ]),
    );
  });

  test.each<[string, readonly Json[], string, object?]>([
    ["who submitted the task decides", [{ ...ada, by: "sam", after: "1h" }], "approval.excluded"],
    ["whom its input excludes decides", [{ ...ada, by: "tess", after: "1h" }], "approval.excluded"],
    [
      "one decides a second time, otherwise",
      [both[0]!, { ...ada, after: "3h", form: { account: "a-2" } }],
      "approval.decided_already",
    ],
    ["one decides before it is open", [{ ...closed, after: "1h" }], "approval.not_open"],
    ["one decides once it is rejected", [no, { ...both[0]!, after: "6h" }], "approval.over"],
    [
      "one decides once its task is undone",
      [{ ...ada, after: "2h" }],
      "approval.over",
      { cancelAfter: "1h" },
    ],
  ])("says of a decision that it was refused: %s", async (_, decisions, code, more = {}) => {
    const last = decisions.at(-1) as object;
    const refused = [...decisions.slice(0, -1), { ...last, refused: code }] as readonly Json[];
    const expected = { state: "undone", within: "3d" };
    expect((await decided(refused, expected, more)).failures).toEqual([]);
    const [failure] = (await decided(decisions, expected, more)).failures;
    expect(failure).toMatch(
      code === "approval.over"
        ? /was to be decided by ada after .h, and the task had ended or halted before/
        : `decisions/${decisions.length - 1}: expected to be accepted, was refused: ${code}`,
    );
  });

  test("takes the same decision twice, and counts it once", async () => {
    const twice = { ...both[0], times: 2 };
    const { failures } = await decided([twice], { state: "undone", within: "3d" });
    expect(failures).toEqual([]);
  });

  test("is refused where a form does not fit, or people do not decide the step", async () => {
    const decisions = [
      { ...ada, after: "1h", form: { account: 1, more: 2 } },
      { step: "release", by: "bob", decision: "approve", after: "1h" },
      { ...closed, form: { account: "a-1" } },
      { ...ada, after: "1h", step: "relase" },
      { ...ada, after: "1h", step: "room" },
    ];
    await expect(decided(decisions, { state: "processed" })).rejects.toMatchObject({
      faults: expect.arrayContaining([
        { pointer: "/decisions/0/form/account", detail: "must be string" },
        { pointer: "/decisions/0/form/more", detail: "is no field of the form" },
        { pointer: "/decisions/1/form", detail: "must be object" },
        { pointer: "/decisions/2/form", detail: "is not asked for: the step has no form" },
        {
          pointer: "/decisions/3/step",
          detail: "releasing.v1 has no step relase that people decide; it has release, closing",
        },
        { pointer: "/decisions/4/step", detail: expect.stringContaining("it has release") },
      ]),
    });
  });
});
