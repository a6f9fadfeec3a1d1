import { expect, test } from "@jest/globals";
import { scheduleOf } from "./schedule-of.ts";

test.each([
  ["schedule:settle-night", "settle-night"],
  ["operator:schedule:x", null],
  ["checkout", null],
])("what %s submitted is of the schedule %j", (submitter, id) => {
  expect(scheduleOf(submitter)).toBe(id);
});
