import { expect, test } from "@jest/globals";
import { broker, queueOf, wrongs } from "../../test/broker-facts.ts";
import { instances } from "../../test/task-facts.ts";
import { checkCauses } from "./check-causes.ts";
import type { StoreFacts } from "./collect-facts.ts";

const need = {
  agent: "payments",
  workflows: ["a.v1", "b.v1"],
  openSteps: 1,
  living: 3,
  restingUntil: null,
  lastSeen: null,
  announces: true,
};

const look = (consumers: number, resting: number) => {
  const contents = {
    needs: [{ ...need, resting }],
    breakers: [],
    paths: { unproven: [], outages: [] },
    pauses: { inForce: [], tasks: 0 },
    instances,
  };
  const store = { contents } as unknown as StoreFacts;
  const facts = { ...broker, queues: [queueOf({ consumers })] };
  return wrongs(checkCauses({ store, broker: facts }, 0));
};

test("an Agent whose instances all stopped consuming on purpose is not called absent", () => {
  expect(look(0, 2)).toEqual([
    "agents.breakers_open: The breaker of every instance of the Agent payments is open, and 1 step waits for it. It is needed by a.v1, b.v1.",
  ]);
  // Another instance is well.
  expect(look(1, 2)).toEqual([]);
  expect(look(0, 0)).toEqual([expect.stringMatching(/^agents\.absent: No process serves/)]);
});
