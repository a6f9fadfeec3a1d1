import { expect, test } from "@jest/globals";
import { commandLine } from "./action.ts";
import { scheduleAction } from "./schedule-actions.ts";

const filled = { actor: "ada", reason: "the bank is closed", field: undefined };

test.each([
  ["pause", "Pause", false],
  ["resume", "Resume", false],
  ["fire", "Fire now", true],
] as const)("to %s a schedule is a request and a command", (act, verb, isDangerous) => {
  const action = scheduleAction(act, "settle-night");
  expect(action).toMatchObject({ verb, isDangerous });
  const [call] = action.calls;
  expect(call?.request(filled)).toEqual({
    method: "POST",
    path: `/v1/schedules/settle-night/${act}`,
    body: { actor: "ada", reason: "the bank is closed" },
  });
  expect(call && commandLine(action, call, filled)).toBe(
    `holdfast schedules ${act} settle-night --reason 'the bank is closed' --actor ada`,
  );
});
