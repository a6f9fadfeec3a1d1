import { describe, expect, test } from "@jest/globals";
import type { Evidence } from "./evidence.ts";
import { judge } from "./judge.ts";
import { alter, cleanEvidence, processed, undone } from "./testing.ts";
import { type Invariant, invariants } from "./violation.ts";

const isCharge = (taskId: string) => (one: { taskId: string; name: string }) =>
  one.taskId === taskId && one.name === "charge";
const isClaimOf =
  (step: string) =>
  (event: { taskId: string; step: string | null; action: string }): boolean =>
    event.taskId === processed && event.step === step && event.action === "claim";

type Corruption = (evidence: Evidence) => Partial<Evidence>;

/** What a system might do that breaks each invariant. */
const corruptions: Readonly<Record<Invariant, Readonly<Record<string, Corruption>>>> = {
  I1: {
    "an accepted order is gone": ({ tasks }) => ({
      tasks: tasks.filter(({ taskId }) => taskId !== processed),
    }),
    "an accepted order has another id": ({ history }) => ({
      history: alter(history, ({ taskId }) => taskId === processed, { taskId: undone }),
    }),
  },
  I2: {
    "an order that no client submitted": ({ tasks }) => ({
      tasks: [...tasks, { ...tasks[0]!, taskId: "phantom", key: "phantom" }],
    }),
    "one key, two orders": ({ tasks }) => ({ tasks: [...tasks, { ...tasks[0]!, taskId: "twin" }] }),
  },
  I3: {
    "an order never ends": ({ tasks }) => ({
      tasks: alter(tasks, ({ taskId }) => taskId === undone, {
        state: "undoing",
        finishedAt: null,
      }),
    }),
    "something happens after the end": ({ events }) => ({
      events: [...events, { ...events[0]!, id: 1_000_000, action: "submit", at: 9_000_000 }],
    }),
    "a good order is undone": ({ history }) => ({
      history: alter(history, ({ key }) => key.endsWith(undone), { kind: "good" }),
    }),
  },
  I4: {
    "the charge of a processed order is missing": ({ ledger }) => ({
      ledger: ledger.filter(({ resource }) => resource !== "charges"),
    }),
    "the charge happened twice": ({ ledger }) => ({
      ledger: ledger.flatMap((one) => (one.resource === "charges" ? [one, one] : [one])),
    }),
  },
  I5: {
    "the reservation of an undone order stays": ({ ledger }) => ({
      ledger: ledger.filter(({ kind }) => kind !== "undone"),
    }),
  },
  I6: {
    "an attempt is claimed twice": ({ events }) => ({
      events: events.flatMap((one) => (isClaimOf("ship")(one) ? [one, one] : [one])),
    }),
  },
  I7: {
    "attempts are numbered backwards": ({ events, steps }) => ({
      events: events.flatMap((one) =>
        isClaimOf("ship")(one) ? [{ ...one, attempt: 2 }, one] : [one],
      ),
      steps: alter(steps, ({ name }) => name === "ship", { attempt: 2 }),
    }),
  },
  I8: {
    "a step goes where no step may": ({ events }) => ({
      events: alter(events, (one) => one.action === "complete" && one.step === "ship", {
        to: "waiting",
      }),
    }),
    "a move is missing": ({ events }) => ({
      events: events.filter((one) => !isClaimOf("ship")(one)),
    }),
    "the store says something else": ({ steps }) => ({
      steps: alter(steps, isCharge(processed), { state: "cancelled" }),
    }),
  },
  I9: {
    "a failure was not counted": ({ steps }) => ({
      steps: alter(steps, isCharge(undone), { failureCount: 0 }),
    }),
    "more failures than the policy allows": ({ steps }) => ({
      steps: alter(steps, isCharge(undone), { failureCount: 6 }),
    }),
  },
  I10: {
    "something of a processed order was undone": ({ ledger }) => ({
      ledger: [...ledger, { ...ledger[0]!, kind: "tombstone", seq: 1_000_000 }],
    }),
    "the first thing was undone first": ({ ledger }) => ({
      ledger: [
        ...ledger,
        { ...ledger.at(-1)!, kind: "tombstone", resource: "charges", seq: 1_000_000 },
      ],
    }),
    "a request came through after its undo": ({ ledger }) => ({
      ledger: alter(ledger, (one) => one.kind === "undone", { seq: 0, kind: "tombstone" }),
    }),
  },
  I11: {
    "a reply to an earlier attempt counted": ({ events }) => ({
      events: alter(events, isClaimOf("ship"), { attempt: 2 }),
    }),
  },
  I12: {
    "shipped before it was charged": ({ ledger }) => ({
      ledger: alter(ledger, ({ resource }) => resource === "shipments", { seq: 0 }),
    }),
  },
  I13: {
    "an asker sees an order go back": ({ observations }) => ({
      observations: observations.toReversed(),
    }),
    "a listener gets statuses out of order": ({ statuses }) => ({
      statuses: statuses.toReversed(),
    }),
    "a listener is not told the end": ({ statuses }) => ({ statuses: statuses.slice(0, 2) }),
    "a listener is not told the beginning": ({ statuses }) => ({ statuses: statuses.slice(1) }),
  },
  I14: {
    "a message is left": () => ({ queues: [{ queue: "agent.payments", messages: 1 }] }),
    "a message of ours died": () => ({
      deadLetters: [{ queue: "dead.replies", messageId: "genuine" }],
    }),
  },
  I15: {
    "a silent step is not recovered": ({ samples }) => ({
      samples: alter(samples, () => true, { overdueMs: 5_000 }),
    }),
  },
  I16: {
    "a transaction is left open": ({ samples }) => ({
      samples: alter(samples, () => true, { idleInTransactionMs: 12_000 }),
    }),
    "a request is not answered": ({ history }) => ({
      history: alter(history, ({ type }) => type === "ok", { tookMs: 60_000 }),
    }),
  },
  I17: {
    "a forged reply was applied": ({ steps }) => ({
      steps: alter(steps, isCharge(processed), { output: { id: "forged" } }),
    }),
  },
  I18: {
    "a halt without an alert": ({ events }) => ({
      events: [
        ...events,
        { ...events[0]!, id: 1_000_000, action: "summarise", from: "processing", to: "halted" },
      ],
    }),
    "an alert of a halt that never was": () => ({
      alerts: [{ taskId: processed, at: 0 }],
    }),
  },
};

test("a run in which everything was right is valid", () => {
  const verdict = judge(cleanEvidence());
  expect(verdict.violations).toEqual([]);
  expect(verdict).toMatchObject({
    valid: true,
    orders: 2,
    faults: 1,
    lost: 0,
    doubled: 0,
    stuck: 0,
  });
});

describe.each(Object.entries(corruptions))("%s", (invariant, cases) => {
  test.each(Object.entries(cases))("is broken when %s", (_, corrupt) => {
    const evidence = cleanEvidence();
    const verdict = judge({ ...evidence, ...corrupt(evidence) });
    expect(verdict.valid).toBe(false);
    expect(verdict.violations.map((one) => one.invariant)).toContain(invariant);
  });
});

test("every invariant has a corruption that breaks it", () => {
  expect(Object.keys(corruptions)).toEqual(Object.keys(invariants));
});

test.each<[string, Corruption]>([
  ["1 of 2 orders were submitted", ({ history }) => ({ history: history.slice(0, 2) })],
  ["0 of 1 faults were injected", () => ({ faults: [] })],
  ["no fault of the class agent-frozen was injected", () => ({ faults: [] })],
  ["no stale reply was refused", () => ({ rejectedReplies: [] })],
])("a run proves nothing when %s", (reason, corrupt) => {
  const evidence = cleanEvidence();
  const verdict = judge({ ...evidence, ...corrupt(evidence) });
  expect(verdict.vacuous).toContain(reason);
  expect(verdict.valid).toBe(false);
});
