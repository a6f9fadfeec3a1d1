import { afterAll, test } from "@jest/globals";
import { nameOfTrap, survive, trapsIn } from "./gaps.ts";
import { startFaultySystem } from "./harness.ts";

/**
 * Partners that often take longer than they may, and Agents that do little at a time: so requests are
 * marked, come back unbegun, and expire, all by themselves.
 */
const faulty = await startFaultySystem({
  env: { agent: { CONCURRENCY: "2" } },
  limits: { startWithin: 400, completeWithin: 400, retry: { failures: 50, backoff: 50, max: 200 } },
});
afterAll(async () => {
  await faulty[Symbol.asyncDispose]();
});
for (const partner of ["inventory", "payments", "shipping"]) {
  await fetch(`${faulty.system.partnersUrl}/knobs/${partner}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ latencyMs: { min: 0, max: 500 } }),
  });
}

const cases = [
  ...trapsIn("scheduler", ["marking", "marked", "putting-back", "put-back"]),
  ...trapsIn("supervisor", ["found", "recovered"]),
].map((trap) => ({ name: nameOfTrap(trap), trap }));

test.concurrent.each(cases)("$name: every order ends right", async ({ trap }) => {
  await survive(faulty, trap);
});
