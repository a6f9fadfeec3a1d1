import { afterAll, test } from "@jest/globals";
import { nameOfTrap, survive, trapsIn } from "./gaps.ts";
import { startFaultySystem } from "./harness.ts";

/** All cases share it, and are each other's rivals. */
const faulty = await startFaultySystem({
  limits: { startWithin: 500, completeWithin: 500, retry: { failures: 50, backoff: 50, max: 200 } },
});
afterAll(async () => {
  await faulty[Symbol.asyncDispose]();
});

const cases = [
  ...trapsIn("agent", ["received", "worked", "replying", "replied"]),
  ...trapsIn("scheduler", ["claiming"], [null]),
  ...trapsIn("scheduler", ["claimed", "publishing", "published", "recording", "recorded"]),
].map((trap) => ({ name: nameOfTrap(trap), trap }));

test.concurrent.each(cases)("$name: every order ends right", async ({ trap }) => {
  await survive(faulty, trap, trap.service === "agent" ? { CONCURRENCY: "4" } : {});
});
