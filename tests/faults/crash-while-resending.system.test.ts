import { afterAll, expect, test } from "@jest/globals";
import {
  allOverdue,
  failpointCases,
  halfFulfilled,
  resume,
  settingOf,
  startWithFailpoint,
  submitUntilHit,
} from "./failpoint-cases.ts";
import { startFaultySystem } from "./faulty-system.ts";

const faulty = await startFaultySystem({
  apart: ["scheduler"],
  count: { scheduler: 0 },
  // A request is resent later on a slow machine: one that expired first would never be, and no
  // other one follows.
  limits: { startWithin: 5_000 },
});
afterAll(async () => {
  await faulty[Symbol.asyncDispose]();
});

const cases = failpointCases("scheduler", ["resending"]).map((failpoint) => ({
  name: settingOf(failpoint),
  failpoint,
}));

test.each(cases)("$name: every order ends right", async ({ failpoint }) => {
  // No other Scheduler can resend what the first one leaves behind.
  const [leaving, resending] = await Promise.all([
    startWithFailpoint(faulty, { ...failpoint, gap: "claimed", action: "exit" }),
    startWithFailpoint(faulty, failpoint),
  ]);
  const ids = await submitUntilHit(faulty, resending);
  expect(await leaving.exited).toBeNull();
  await using _third = await faulty.system.start("scheduler");
  if (failpoint.action === "freeze") await allOverdue(faulty);
  await resume(resending, failpoint);
  expect(await faulty.verdict(ids)).toEqual(halfFulfilled(ids));
});
