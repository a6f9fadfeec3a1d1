import { agentQueue, replyQueue } from "@holdfast/contracts";
import { Fault } from "@holdfast/domain";
import { type BrokerFacts, inspectBroker } from "@holdfast/messaging";
import { managed } from "../doctor/check-broker.ts";
import { type BrokerView, unseenBroker } from "./system-facts.ts";

/** The address of the broker, and the name under which one looks at it. */
export interface BrokerAddress {
  readonly url: string;
  /** RabbitMQ's HTTP API; null: its user may not, or need not, be known. */
  readonly managementUrl: string | null;
  readonly name: string;
}

/** Looks at the broker: what its user may not see is not known. */
export async function observeBroker(
  address: BrokerAddress,
  agents: readonly string[],
): Promise<BrokerView> {
  try {
    return brokerView(await inspectBroker({ ...address, agents }), agents);
  } catch (error) {
    if (error instanceof Fault) return { ...unseenBroker, unreachable: error.message };
    throw error;
  }
}

/** What was seen of a broker, as far as it says what keeps tasks waiting. */
export function brokerView(
  { blocked, queues, management }: BrokerFacts,
  agents: readonly string[],
): BrokerView {
  const consumersOf = (name: string): number | null | undefined => {
    const found = queues.find((one) => one.name === name);
    // What does not answer has consumers that are not known.
    if (found === undefined || found.state === "unseen" || found.state === "silent")
      return undefined;
    return found.state === "missing" ? null : found.consumers;
  };
  const consumers = agents.flatMap((agent): (readonly [string, number | null])[] => {
    const own = consumersOf(agentQueue(agent));
    return own === undefined ? [] : [[agent, own]];
  });
  const schedulers = consumersOf(replyQueue);
  return {
    unreachable: null,
    blocked: managed(management)?.alarms[0] ?? blocked,
    schedulers: schedulers === undefined ? null : (schedulers ?? 0),
    consumers: Object.fromEntries(consumers),
  };
}
