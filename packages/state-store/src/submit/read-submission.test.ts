import { type AskedSubmission, askedInHeaders, askedInRow, Submission } from "@holdfast/contracts";
import { describe, expect, test } from "@jest/globals";
import { anything, assert, asyncProperty, constantFrom, oneof, record, string } from "fast-check";
import { Value } from "typebox/value";
import {
  isCurrentHash,
  readRepeat,
  readSubmission,
  SubmissionFault,
  type TargetWorkflow,
} from "./read-submission.ts";

const trip: TargetWorkflow = {
  name: "trip.v2",
  family: "trip",
  definition: { fairness: { key: "/input/customer", weight: "/input/weight" } },
  check: () => [],
  takesActive: false,
};

const whole = {
  workflow: "trip",
  input: { x: 1, y: ["a"] },
  priority: "urgent",
  fairness: { key: "7", weight: 3 },
  key: "trip-7",
  labels: { region: "eu", guest: "Ada" },
  notBefore: "2026-11-24T10:00:00Z",
  replyTo: "status.shop",
  correlationId: "c-1",
  idempotencyKey: "k",
} as const;

const keyed = async (asked: AskedSubmission, workflow = trip) =>
  (await readSubmission(asked, workflow)).idempotency!;
const hashOf = async (asked: AskedSubmission, workflow = trip) =>
  (await keyed(asked, workflow)).hash;

test("a body, headers and a row that ask for the same have the same hash", async () => {
  const { input, replyTo, correlationId, idempotencyKey } = whole;
  const headers: Readonly<Record<string, unknown>> = {
    "task-priority": "urgent",
    // A number, as AMQP can have it, and a text, as HTTP has it.
    "fairness-key": 7,
    "fairness-weight": "3",
    "task-key": "trip-7",
    "task-labels": "guest=Ada,region=eu",
    "not-before": "2026-11-24T11:00:00+01:00",
  };
  const byHeaders = { input, ...askedInHeaders((name) => headers[name]), replyTo, correlationId };
  expect(await hashOf({ ...byHeaders, idempotencyKey })).toBe(await hashOf(whole));
  // As jsonb has it: fields in another order.
  const row = { ...whole, input: { y: ["a"], x: 1 }, labels: { guest: "Ada", region: "eu" } };
  expect(await hashOf(askedInRow(row as never))).toBe(await hashOf(whole));
});

test("what a version refuses is looked for by the key and the hash by which another one takes it", async () => {
  const strict = { ...trip, check: () => [{ pointer: "/y", detail: "unknown field" }] };
  await expect(readSubmission(whole, strict)).rejects.toThrow(SubmissionFault);
  expect(readRepeat(whole, strict)).toMatchObject({
    onlyRepeats: true,
    idempotency: { key: "k", hash: await hashOf(whole) },
  });
  const { idempotencyKey: _none, ...keyless } = whole;
  expect(readRepeat(keyless, strict)).toBeNull();
  // No version takes it.
  expect(readRepeat({ ...whole, priority: "high" }, strict)).toBeNull();
  expect(readRepeat({ ...whole, input: { x: "\u0000" } }, strict)).toBeNull();
});

test("a row has no field where it has null, and may have null as its input", async () => {
  const asked = askedInRow({ input: null, priority: null, labels: null, idempotencyKey: "k" });
  expect(await hashOf(asked)).toBe(await hashOf({ input: null, idempotencyKey: "k" }));
});

test.each<[string, AskedSubmission]>([
  ["input", { input: { x: 2, y: ["a"] } }],
  ["priority", { priority: "batch" }],
  ["fairness key", { fairness: { key: "8", weight: 3 } }],
  ["fairness weight", { fairness: { key: "7", weight: 4 } }],
  ["fairness", { fairness: undefined }],
  ["business key", { key: "trip-8" }],
  ["labels", { labels: { region: "us", guest: "Ada" } }],
  ["beginning", { notBefore: "2026-11-24T10:00:01Z" }],
  ["status queue", { replyTo: "status.shop.2" }],
])("another %s makes another request of it", async (_, other) => {
  expect(await hashOf({ ...whole, ...other })).not.toBe(await hashOf(whole));
});

test("another workflow makes another request of it, another version or correlation id does not", async () => {
  expect(await hashOf(whole, { ...trip, name: "stay.v2", family: "stay" })).not.toBe(
    await hashOf(whole),
  );
  expect(await hashOf({ ...whole, workflow: "trip.v3" }, { ...trip, name: "trip.v3" })).toBe(
    await hashOf(whole),
  );
  expect(await hashOf({ ...whole, correlationId: "c-2" })).toBe(await hashOf(whole));
});

test("no labels are the same as an empty object of labels, and normal is the priority that is not named", async () => {
  const bare = { input: 1, idempotencyKey: "k" };
  expect(await hashOf({ ...bare, labels: {}, priority: "normal" })).toBe(await hashOf(bare));
});

test("a hash is of what was asked for, and of nothing else: the stored ones stay when submissions get a further field", async () => {
  expect(await hashOf({ input: { x: 1 }, idempotencyKey: "k" })).toBe(
    "2:0109bc641f7264f2449a0a6a92f1ef76f30d029ef13362bb77f77c8292bb0577",
  );
});

test("a hash says its version, and comes with the one that an earlier release stored", async () => {
  const { hash, earlierHashes } = await keyed(whole);
  expect(isCurrentHash(hash)).toBe(true);
  const earlier = "bb3b4d4486baed99e1f42fba82edfffc312ee3bbd137e7dca0ec30e3dec264de";
  expect(earlierHashes?.()).toEqual([earlier]);
  expect(isCurrentHash(earlier)).toBe(false);
});

const refusal = async (asked: AskedSubmission): Promise<SubmissionFault | null> => {
  try {
    await readSubmission(asked, trip);
    return null;
  } catch (error) {
    if (error instanceof SubmissionFault) return error;
    throw error;
  }
};

describe("what is refused", () => {
  test.each<[string, AskedSubmission, string, string | undefined]>([
    [
      "a field that there is not",
      { colour: "red" } as AskedSubmission,
      "request.invalid",
      "/colour",
    ],
    ["a priority that there is not", { priority: 5 }, "request.priority_invalid", undefined],
    ["fairness that is a text", { fairness: "Ada" }, "request.fairness_invalid", undefined],
    ["a weight without a key", { fairness: { weight: 2 } }, "request.fairness_invalid", undefined],
    ["a key that is a number", { key: 5 }, "request.invalid", "/key"],
    ["a label that is a number", { labels: { "a/b": 5 } }, "request.invalid", "/labels/a~1b"],
    ["a beginning that is a number", { notBefore: 5 }, "request.invalid", "/notBefore"],
    ["a queue of ours", { replyTo: "scheduler.wake" }, "request.reply_to_invalid", undefined],
    ["a queue that is a number", { replyTo: 5 }, "request.reply_to_invalid", undefined],
    [
      "a correlation id in two lines",
      { correlationId: "a\nb" },
      "request.correlation_id_invalid",
      undefined,
    ],
    [
      "an empty idempotency key",
      { idempotencyKey: "" },
      "request.idempotency_key_invalid",
      undefined,
    ],
    ["an input that is no JSON", { input: undefined }, "task.invalid", ""],
  ])("%s", async (_, asked, code, pointer) => {
    const fault = await refusal({ input: 1, ...asked });
    expect(fault).toMatchObject({ code });
    expect(fault?.errors[0]?.pointer).toBe(pointer);
  });
});

test("what is taken without its workflow's say has the shape of the contract", async () => {
  const text = oneof(string({ unit: "binary" }), string({ maxLength: 3 }), anything());
  const fields = {
    workflow: constantFrom("trip"),
    input: constantFrom(1),
    priority: oneof(constantFrom("urgent", "normal", "high"), anything()),
    fairness: oneof(record({ key: text, weight: anything() }), anything()),
    key: text,
    labels: oneof(record({ a: text, "b c": text }, { requiredKeys: [] }), anything()),
    notBefore: oneof(constantFrom("2026-11-24T10:00:00Z", "soon"), text),
    replyTo: oneof(constantFrom("status.shop", "agent.a"), text),
    correlationId: text,
    idempotencyKey: text,
  };
  let taken = 0;
  for (const [name, values] of Object.entries(fields)) {
    await assert(
      asyncProperty(values, async (value) => {
        // Texts of headers stand for what they say.
        if (name === "labels" && typeof value === "string") return;
        const asked = { workflow: "trip", input: 1, [name]: value };
        if (value == null || (await refusal(asked)) !== null) return;
        taken += 1;
        const { fairness } = await readSubmission(asked, trip);
        const shaped = name === "fairness" ? { ...asked, ...(fairness && { fairness }) } : asked;
        expect(
          name === "fairness" && fairness === null ? true : Value.Check(Submission, shaped),
        ).toBe(true);
      }),
      { numRuns: 100 },
    );
  }
  expect(taken).toBeGreaterThan(50);
});
