import type { BrokerFacts, ManagedQueue } from "@holdfast/messaging";
import type { AgentNeed } from "@holdfast/state-store";
import { describe, expect, test } from "@jest/globals";
import { broker, managedBroker, queueOf, wrongs } from "../../test/broker-facts.ts";
import { checkAgents } from "./check-agents.ts";

describe("of Agents", () => {
  const need: AgentNeed = {
    agent: "payments",
    workflows: ["a.v1", "b.v1"],
    longest: 60_000,
    longestStep: "a.v1/charge",
    openSteps: 1,
    resting: 0,
  };
  const look = (
    facts: BrokerFacts,
    longest = need.longest,
    consumerTimeout: number | null = null,
  ) => wrongs(checkAgents({ needs: [{ ...need, longest }], broker: facts, consumerTimeout }));

  test("an Agent without a consumer is named with the workflows that need it", () => {
    expect(look({ ...broker, queues: [queueOf({ consumers: 0 })] })).toEqual([
      "agents.absent: no process serves the Agent payments: a.v1, b.v1 need it, and 1 of its steps is open",
    ]);
  });

  test("an Agent whose instances all stopped consuming on purpose is not called absent", () => {
    const needs = [{ ...need, resting: 2 }];
    const asked = (consumers: number) =>
      wrongs(
        checkAgents({
          needs,
          broker: { ...broker, queues: [queueOf({ consumers })] },
          consumerTimeout: null,
        }),
      );
    expect(asked(0)).toEqual([
      "agents.breakers_open: the circuit breaker of every instance of the Agent payments is open (2), so none consumes for now: a.v1, b.v1 need it, and 1 of its steps is open",
    ]);
    // Another instance is well.
    expect(asked(1)).toEqual([]);
  });

  test.each<readonly [string, Partial<ManagedQueue>, number, number | null, number]>([
    ["half an hour by itself", {}, 9 * 60_000, null, 0],
    ["as long as was said", {}, 4 * 60_000, 5 * 60_000, 0],
    ["less than was said", {}, 6 * 60_000, 5 * 60_000, 1],
    ["what the queue says", { arguments: { "x-consumer-timeout": 50_000 } }, 60_000, null, 1],
    ["what a policy says", { definition: { "consumer-timeout": 7_200_000 } }, 500_000, null, 0],
  ])("the broker waits %s", (_, queue, longest, said, expected) => {
    expect(look(managedBroker(queue), longest, said)).toHaveLength(expected);
  });

  test("no Agent is missing if no workflow is stored", () => {
    const found = checkAgents({ needs: [], broker, consumerTimeout: null });
    expect(found.map(({ state, text }) => [state, text])).toEqual([
      ["fine", "no workflow is stored yet"],
    ]);
  });
});
