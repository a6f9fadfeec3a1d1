import { callsOf } from "@holdfast/domain";
import { askBroker, type BrokerServer } from "@holdfast/local-stack";
import { topologyOf } from "@holdfast/messaging";
import { orderSteps } from "../workflow.ts";

export interface BrokerFacts {
  /** Messages that wait for a consumer, in all queues. */
  readonly queued: number;
  /** Bytes that it says it has allocated. */
  readonly allocated: number;
}

const agents = callsOf(orderSteps.definition).map(({ agent }) => agent);

export async function viewBroker(
  broker: Pick<BrokerServer, "url" | "rabbitmqctl">,
): Promise<BrokerFacts> {
  const queued = await askBroker(broker.url, async (channel) => {
    let messages = 0;
    for (const { name } of topologyOf(agents).queues) {
      messages += (await channel.checkQueue(name)).messageCount;
    }
    return messages;
  });
  return {
    queued,
    allocated: Number(await broker.rabbitmqctl("eval", "erlang:memory(total).")),
  };
}
