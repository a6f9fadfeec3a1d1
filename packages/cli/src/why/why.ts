import { agentQueue, replyQueue } from "@holdfast/contracts";
import { Fault, PermanentFault } from "@holdfast/domain";
import { inspectBroker } from "@holdfast/messaging";
import { parseConfig } from "@holdfast/runtime";
import { openInspector } from "@holdfast/state-store";
import type { Command } from "../command.ts";
import { WhySettings } from "../settings.ts";
import { explain } from "./explain.ts";
import type { CourierFacts, Facts } from "./facts.ts";

const name = "holdfast why";

/** Says what a task waits for, or how it ended. */
export const why: Command = async ({ taskId }, env) => {
  const settings = parseConfig(WhySettings, env);
  await using store = openInspector({ url: settings.STATE_STORE_URL, applicationName: name });
  const task = await store.findTaskFacts(taskId);
  if (task === null) {
    throw new PermanentFault("task.unknown", `There is no task ${taskId} in this state store`);
  }
  const agents = [...new Set(task.steps.map(({ agent }) => agent))];
  const courier = await lookAtCourier(settings.BROKER_URL ?? null, agents);
  const facts: Facts = { ...task, courier };
  const explanation = explain(facts);
  const unseen = courier === null ? ["Nobody looked at the broker: set BROKER_URL."] : [];
  const { workflow, processState } = task;
  return {
    exitCode: 0,
    text: [
      `${taskId} (${workflow}, ${processState})`,
      explanation.sentence,
      ...[...explanation.evidence, ...unseen].map((line) => `  ${line}`),
    ].join("\n"),
    json: { taskId, workflow, processState, ...explanation },
  };
};

/** A broker that does not answer leaves much to be said all the same. */
async function lookAtCourier(
  url: string | null,
  agents: readonly string[],
): Promise<CourierFacts | null> {
  if (url === null) return null;
  try {
    const { blocked, queues } = await inspectBroker({ url, managementUrl: null, name, agents });
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
