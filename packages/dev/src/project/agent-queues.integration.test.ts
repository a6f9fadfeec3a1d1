import type { WorkflowDefinition } from "@holdfast/domain";
import { askBroker } from "@holdfast/local-stack";
import { testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { openAgentQueues } from "./agent-queues.ts";

const calling = (...agents: readonly string[]) =>
  ({ steps: agents.map((agent) => ({ agent })) }) as unknown as WorkflowDefinition;

test("an Agent that declares no queue finds the queue of its name, for each workflow that was saved", async () => {
  await using broker = await testBroker();
  const isThere = (agent: string): Promise<boolean> =>
    askBroker(broker.url, (channel) => channel.checkQueue(`agent.${agent}`)).then(
      () => true,
      () => false,
    );
  const queues = openAgentQueues(broker.url, Promise.resolve());
  await queues.declare([calling("hotels")]);
  expect(await Promise.all([isThere("hotels"), isThere("mail")])).toEqual([true, false]);
  await queues.declare([calling("hotels"), calling("mail", "hotels")]);
  expect(await isThere("mail")).toBe(true);
});
