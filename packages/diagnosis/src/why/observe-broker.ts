import { agentQueue, replyQueue } from "@holdfast/contracts";
import { Fault } from "@holdfast/domain";
import { inspectBroker } from "@holdfast/messaging";
import type { BrokerFacts } from "./facts.ts";

/** Where the broker is, and who looks. */
export interface BrokerAddress {
  readonly url: string;
  /** RabbitMQ's HTTP API; null: its user may not, or need not, be known. */
  readonly managementUrl: string | null;
  readonly name: string;
}

/** What can be seen of the broker; null: it does not answer, or its user may not look. */
export async function observeBroker(
  address: BrokerAddress,
  agents: readonly string[],
): Promise<BrokerFacts | null> {
  try {
    const { blocked, queues } = await inspectBroker({ ...address, agents });
    if (queues.some(({ state }) => state === "unseen")) return null;
    const consumersOf = (queue: string): number | null => {
      const found = queues.find((one) => one.name === queue);
      return found === undefined || found.state === "missing" ? null : found.consumers;
    };
    return {
      blocked,
      schedulers: consumersOf(replyQueue) ?? 0,
      consumers: Object.fromEntries(agents.map((agent) => [agent, consumersOf(agentQueue(agent))])),
    };
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}
