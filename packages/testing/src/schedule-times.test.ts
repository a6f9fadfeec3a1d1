import { defineSchedule, defineWorkflow, scheduledAt } from "@holdfast/workflow";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { scheduleTimes } from "./schedule-times.ts";

const settle = defineWorkflow("settle.v1", z.object({ day: z.iso.date() }), (_, step) => {
  step.sleep("rest", { for: "1s" });
});
const of = (cron: string) =>
  defineSchedule("settle-night", {
    workflow: settle,
    cron,
    zone: "Europe/Budapest",
    input: { day: scheduledAt("date") },
  });
const localOf = (cron: string, from: string | Date, count?: number) =>
  scheduleTimes(of(cron), { from, ...(count === undefined ? {} : { count }) }).map(
    ({ local }) => local,
  );

test("the instants of a schedule have the time of its zone, and the input of their task", () => {
  expect(scheduleTimes(of("30 2 * * *"), { from: "2026-11-29T12:00:00Z", count: 2 })).toEqual([
    {
      at: "2026-11-30T01:30:00.000Z",
      local: "2026-11-30T02:30:00+01:00",
      input: { day: "2026-11-30" },
    },
    {
      at: "2026-12-01T01:30:00.000Z",
      local: "2026-12-01T02:30:00+01:00",
      input: { day: "2026-12-01" },
    },
  ]);
});

test("an instant to begin at is the first, if the schedule has it", () => {
  const from = new Date("2026-11-30T01:30:00Z");
  expect(localOf("30 2 * * *", from, 1)).toEqual(["2026-11-30T02:30:00+01:00"]);
});

test("a time that does not exist comes at the first instant after it, and one that comes twice once", () => {
  expect(localOf("30 2 * * *", "2027-03-27T00:00:00+01:00", 3)).toEqual([
    "2027-03-27T02:30:00+01:00",
    "2027-03-28T03:00:00+02:00",
    "2027-03-29T02:30:00+02:00",
  ]);
  expect(scheduleTimes(of("30 2 * * *"), { from: "2026-10-25T00:00:00Z", count: 2 })).toMatchObject(
    [{ at: "2026-10-25T00:30:00.000Z" }, { at: "2026-10-26T01:30:00.000Z" }],
  );
});

test("ten instants are shown unless said otherwise", () => {
  expect(localOf("0 * * * *", "2026-11-29T12:00:00Z")).toHaveLength(10);
});

test.each<readonly [string, { from: string | Date; count?: number }, RegExp]>([
  ["no instant", { from: "tomorrow" }, /^from is tomorrow: write an instant with its zone/],
  ["no date", { from: new Date(Number.NaN) }, /^from is Invalid Date/],
  ["an instant without a zone", { from: "2026-11-29T12:00:00" }, /with its zone/],
  ["no count", { from: "2026-11-29T12:00:00Z", count: 0 }, /^count is 0: write a whole number/],
])("what is %s is refused", (_, options, why) => {
  expect(() => scheduleTimes(of("0 * * * *"), options)).toThrow(why);
});
