import { expect, test } from "@jest/globals";
import { array, assert, constantFrom, integer, option, property, record } from "fast-check";
import { type CountedEvent, countEvents, inCoarser } from "./count-events.ts";

const at = Date.parse("2026-11-24T10:17:23.456Z");
const event = (of: Partial<CountedEvent>): CountedEvent => ({
  workflow: "trip.v1",
  step: null,
  action: "summarise",
  from: "processing",
  to: "processing",
  at,
  agent: null,
  isUndo: false,
  took: null,
  ...of,
});
const step = (of: Partial<CountedEvent>) => event({ step: "book", to: "pending", ...of });

const minuteOf = (events: readonly CountedEvent[], subject: string) =>
  countEvents(events).find((one) => one.resolution === "minute" && one.subject === subject);

test("a task is counted when it is submitted, when it halts and when it ends, with the time that it took", () => {
  const events = [
    event({ action: "submit", from: null, to: "pending" }),
    event({ to: "halted" }),
    event({ from: "halted", to: "processing" }),
    event({ to: "processed", took: 1_000 }),
    event({ from: "undoing", to: "undone", took: 2_000 }),
    event({ action: "pause" }),
  ];
  const counts = { submitted: 1, processed: 1, undone: 1, halted: 1, attempts: 0 };
  expect(minuteOf(events, "")).toMatchObject(counts);
  expect(minuteOf(events, "workflow:trip.v1")).toMatchObject(counts);
  expect(minuteOf(events, "")?.durations.reduce((sum, count) => sum + count, 0)).toBe(2);
  expect(minuteOf(events, "")?.at).toBe(Date.parse("2026-11-24T10:17:00Z"));
});

test("an attempt is counted when it is claimed, and of its Agent when it ends", () => {
  const ended = { agent: "hotels", took: 50 };
  const events = [
    step({ action: "claim", to: "processing" }),
    step({ action: "claim", to: "processing" }),
    step({ action: "claim", to: "processing" }),
    step({ action: "retry", ...ended }),
    step({ action: "requeue", ...ended }),
    step({ action: "complete", isUndo: true, ...ended }),
    step({ action: "plan" }),
  ];
  expect(minuteOf(events, "")).toMatchObject({
    attempts: 3,
    failedAttempts: 1,
    undoneSteps: 1,
    durations: [],
  });
  expect(minuteOf(events, "agent:hotels")).toMatchObject({
    attempts: 2,
    failedAttempts: 1,
    undoneSteps: 1,
  });
});

test("events of tasks that are gone are counted without a workflow, and others of no interest not at all", () => {
  const events = [event({ workflow: null, action: "submit" }), event({ action: "pause" })];
  expect(countEvents(events).map(({ subject, resolution }) => [resolution, subject])).toEqual([
    ["minute", ""],
    ["hour", ""],
    ["day", ""],
  ]);
});

const events = array(
  record({
    action: constantFrom("submit", "summarise", "claim", "complete", "retry", "fail"),
    step: constantFrom(null, "a", "b"),
    to: constantFrom("processed", "halted", "undone"),
    workflow: constantFrom(null, "a.v1", "b.v1"),
    agent: constantFrom(null, "x"),
    took: option(integer({ min: 0, max: 1e7 })),
    at: integer({ min: at, max: at + 3 * 86_400_000 }),
  }).map(event),
);

test("hours and days are the sums of their minutes, and the order of events does not matter", () => {
  const sorted = (all: ReturnType<typeof countEvents>) =>
    all.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  assert(
    property(events, (all) => {
      const counted = countEvents(all);
      const minutes = counted.filter(({ resolution }) => resolution === "minute");
      const hours = counted.filter(({ resolution }) => resolution === "hour");
      const days = counted.filter(({ resolution }) => resolution === "day");
      expect(sorted(inCoarser(minutes, "hour"))).toEqual(sorted(hours));
      expect(sorted(inCoarser(hours, "day"))).toEqual(sorted(days));
      expect(sorted(countEvents(all.toReversed()))).toEqual(sorted(counted));
    }),
  );
});
