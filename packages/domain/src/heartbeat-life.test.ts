import { expect, test } from "@jest/globals";
import { heartbeatLife } from "./heartbeat-life.ts";

test.each([
  ["that beats each second lives for three and a half", { everyMs: 1_000 }, 3_500],
  ["that does not say how often it beats lives for two intervals of five seconds", {}, 11_000],
  ["that promises a heartbeat in 24 days lives for 15 s", { everyMs: 2 ** 31 - 1 }, 15_000],
  ["that leaves does not live any more", { everyMs: 1_000, leaving: true }, 0],
])("an instance %s", (_, presence, life) => {
  expect(heartbeatLife(presence)).toBe(life);
});
