import { expect, test } from "@jest/globals";
import { agentOf, newAdmission } from "./admission.ts";
import { earnedOf, earnSlot, keepEarned } from "./allowances.ts";

/** An Agent of which so much is in flight, and so much of that waits in its queue. */
function agentWith({ waiting }: { readonly waiting: number }) {
  const agent = agentOf(newAdmission({ maxInFlight: 200 }), "payments");
  return Object.assign(agent, { inFlight: 200, queue: { messages: waiting, consumers: 1 } });
}

test("a lane earns a slot with each step that it settles, if most of what is in flight is taken", () => {
  const agent = agentWith({ waiting: 0 });
  expect(earnedOf(agent, 0)).toBe(0);
  for (let step = 0; step < 3; step += 1) earnSlot(agent, 0);
  expect(earnedOf(agent, 0)).toBe(3);
  agent.queue = { messages: 101, consumers: 1 };
  earnSlot(agent, 0);
  expect(earnedOf(agent, 0)).toBe(3);
  expect(earnedOf(agentWith({ waiting: 0 }), 0)).toBe(0);
});

test("a lane that settles nothing for a minute begins anew", () => {
  const agent = agentWith({ waiting: 0 });
  earnSlot(agent, 0);
  keepEarned(agent, 59_000);
  expect(earnedOf(agent, 119_000)).toBe(1);
  expect(earnedOf(agent, 119_001)).toBe(0);
  // What it had is not given back by the next step either.
  keepEarned(agent, 119_001);
  expect(earnedOf(agent, 119_001)).toBe(0);
});

test("a lane that needs no more earns nothing", () => {
  const agent = agentWith({ waiting: 0 });
  keepEarned(agent, 0);
  expect(earnedOf(agent, 0)).toBe(0);
});
