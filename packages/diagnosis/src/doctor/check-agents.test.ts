import type { BrokerFacts, ManagedQueue } from "@holdfast/messaging";
import type { AgentDemand } from "@holdfast/state-store";
import { describe, expect, test } from "@jest/globals";
import { managedBroker, wrongs } from "../../test/broker-facts.ts";
import { checkTimeouts } from "./check-agents.ts";

describe("of the time that Agents have", () => {
  const need: AgentDemand = {
    agent: "payments",
    workflows: ["a.v1", "b.v1"],
    longest: 60_000,
    longestStep: "a.v1/charge",
    openSteps: 1,
    living: 2,
    resting: 0,
    restingUntil: null,
    lastSeen: 0,
    announces: true,
  };
  const look = (
    facts: BrokerFacts,
    longest = need.longest,
    consumerTimeout: number | null = null,
  ) => wrongs(checkTimeouts({ needs: [{ ...need, longest }], broker: facts, consumerTimeout }));

  test.each<readonly [string, Partial<ManagedQueue>, number, number | null, number]>([
    ["half an hour by itself", {}, 9 * 60_000, null, 0],
    ["as long as was said", {}, 4 * 60_000, 5 * 60_000, 0],
    ["less than was said", {}, 6 * 60_000, 5 * 60_000, 1],
    ["what the queue says", { arguments: { "x-consumer-timeout": 50_000 } }, 60_000, null, 1],
    ["what a policy says", { definition: { "consumer-timeout": 7_200_000 } }, 500_000, null, 0],
  ])("the broker waits %s", (_, queue, longest, said, expected) => {
    expect(look(managedBroker(queue), longest, said)).toHaveLength(expected);
  });
});
