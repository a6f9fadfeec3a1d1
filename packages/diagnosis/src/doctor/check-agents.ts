import { agentQueue } from "@holdfast/contracts";
import { durationText } from "@holdfast/domain";
import type { BrokerFacts, ManagedQueue } from "@holdfast/messaging";
import type { AgentDemand } from "@holdfast/state-store";
import { managed } from "./check-broker.ts";
import { type Finding, fine, wrong } from "./finding.ts";

export interface AgentFacts {
  readonly needs: readonly AgentDemand[];
  readonly broker: BrokerFacts;
  /** The node's own setting, in milliseconds; null: not said. The broker does not tell it. */
  readonly consumerTimeout: number | null;
}

/** RabbitMQ's own, in milliseconds. */
const defaultTimeout = 30 * 60_000;

/**
 * Whether the time limits of Agents let them work to their end. A request stays unacknowledged
 * while its Agent works on it: past its consumer timeout the broker takes the Agent for dead,
 * closes its channel and delivers the request again. Agents acknowledge the requests of long
 * attempts early.
 */
export function checkTimeouts({ needs, broker, consumerTimeout }: AgentFacts): readonly Finding[] {
  const queues = managed(broker.management)?.queues ?? [];
  const node = consumerTimeout ?? defaultTimeout;
  const found = needs.flatMap(({ agent, longest, longestStep }) => {
    const timeout = timeoutOf(
      queues.find(({ name }) => name === agentQueue(agent)),
      node,
    );
    if (longest < timeout) return [];
    return [
      wrong(
        "agents.consumer_timeout",
        `${longestStep} gives the Agent ${agent} ${durationText(longest)}, the broker's consumer_timeout only ${durationText(timeout)}${consumerTimeout === null ? " unless it was raised" : ""}`,
        "raise consumer_timeout in rabbitmq.conf and say so by --consumer-timeout, or make the step shorter",
      ),
    ];
  });
  if (found.length > 0 || needs.length === 0) return found;
  const longest = Math.max(...needs.map((need) => need.longest));
  return [
    fine(
      "agents.consumer_timeout",
      `the longest request that an Agent keeps has ${durationText(longest)}, within a consumer_timeout of ${durationText(node)}`,
    ),
  ];
}

/** What is said of the queue itself goes before the node's setting. */
function timeoutOf(queue: ManagedQueue | undefined, node: number): number {
  const said = [queue?.arguments["x-consumer-timeout"], queue?.definition["consumer-timeout"]]
    .filter((value) => value !== undefined)
    .map(Number);
  return said.length === 0 ? node : Math.min(...said);
}
