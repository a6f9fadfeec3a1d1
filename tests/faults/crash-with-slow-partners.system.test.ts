import { setFaultSettings } from "@holdfast/processes";
import { afterAll, test } from "@jest/globals";
import { failpointCases, settingOf, survive } from "./failpoint-cases.ts";
import { startFaultySystem } from "./faulty-system.ts";

/**
 * Partners that often take longer than they may, and Agents that do little at a time: so requests
 * are marked, wait for a slot until they come back unbegun, and expire, all by themselves.
 */
const faulty = await startFaultySystem({
  env: { agent: { CONCURRENCY: "2" } },
  limits: { startWithin: 200, completeWithin: 400, retry: { failures: 50, backoff: 50, max: 200 } },
});
afterAll(async () => {
  await faulty[Symbol.asyncDispose]();
});
for (const partner of ["inventory", "payments", "shipping"]) {
  await setFaultSettings(faulty.system, partner, { latencyMs: { min: 100, max: 500 } });
}

const cases = [
  ...failpointCases("scheduler", ["confirming", "confirmed", "requeuing", "requeued"]),
  ...failpointCases("supervisor", ["found", "recovered"]),
].map((failpoint) => ({ name: settingOf(failpoint), failpoint }));

test.concurrent.each(cases)("$name: every order ends right", async ({ failpoint }) => {
  await survive(faulty, failpoint);
});
