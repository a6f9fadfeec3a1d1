import { afterAll, expect, test } from "@jest/globals";
import {
  allOverdue,
  comeBack,
  nameOfTrap,
  rightly,
  startTrapped,
  submitUntilSprung,
  trapsIn,
} from "./gaps.ts";
import { startFaultySystem } from "./harness.ts";

const faulty = await startFaultySystem({ count: { scheduler: 0 } });
afterAll(async () => {
  await faulty[Symbol.asyncDispose]();
});

const cases = trapsIn("scheduler", ["relaying"]).map((trap) => ({ name: nameOfTrap(trap), trap }));

test.each(cases)("$name: every order ends right", async ({ trap }) => {
  // There is nobody else who could relay what the first one leaves behind.
  const [leaving, relaying] = await Promise.all([
    startTrapped(faulty, { ...trap, gap: "claimed", action: "exit" }),
    startTrapped(faulty, trap),
  ]);
  const ids = await submitUntilSprung(faulty, relaying);
  expect(await leaving.exited).toBeNull();
  await using _third = await faulty.system.start("scheduler");
  if (trap.action === "freeze") await allOverdue(faulty);
  await comeBack(relaying, trap);
  expect(await faulty.verdict(ids)).toEqual(rightly(ids));
});
