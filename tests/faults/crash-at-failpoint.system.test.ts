import { afterAll, test } from "@jest/globals";
import { failpointCases, settingOf, survive } from "./failpoint-cases.ts";
import { startFaultySystem } from "./faulty-system.ts";

/** All cases share it, and are each other's rivals. */
const faulty = await startFaultySystem({
  limits: { startWithin: 500, completeWithin: 500, retry: { failures: 50, backoff: 50, max: 200 } },
});
afterAll(async () => {
  await faulty[Symbol.asyncDispose]();
});

const cases = [
  ...failpointCases("agent", ["received", "worked", "replying", "replied"]),
  ...failpointCases("scheduler", ["claiming"], [null]),
  ...failpointCases("scheduler", ["claimed", "publishing", "published", "recording", "recorded"]),
].map((failpoint) => ({ name: settingOf(failpoint), failpoint }));

test.concurrent.each(cases)("$name: every order ends right", async ({ failpoint }) => {
  await survive(faulty, failpoint, failpoint.service === "agent" ? { CONCURRENCY: "4" } : {});
});
