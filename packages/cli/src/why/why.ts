import { agentQueue, replyQueue } from "@holdfast/contracts";
import { agentsOfLane, Fault, PermanentFault } from "@holdfast/domain";
import { inspectBroker } from "@holdfast/messaging";
import { parseConfig } from "@holdfast/runtime";
import { openInspector } from "@holdfast/state-store";
import type { Static } from "typebox";
import type { Command } from "../command.ts";
import { WhySettings } from "../settings.ts";
import { explain } from "./explain.ts";
import type { BrokerFacts, Facts } from "./facts.ts";

const name = "holdfast why";

/** Says what a task waits for, or how it ended. */
export const why: Command = async ({ taskId }, env) => {
  const settings = parseConfig(WhySettings, env);
  await using store = openInspector({ url: settings.STATE_STORE_URL, applicationName: name });
  const task = await store.findTaskFacts(taskId);
  if (task === null) {
    throw new PermanentFault("task.unknown", `There is no task ${taskId} in this state store`);
  }
  const agents = [...new Set(task.steps.flatMap(({ agent }) => agentsOfLane(agent)))];
  const broker = await observeBroker(settings, agents);
  const facts: Facts = { ...task, broker };
  const explanation = explain(facts);
  const unseen = broker === null ? [howToLook(settings)] : [];
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

const howToLook = ({ BROKER_URL, BROKER_MANAGEMENT_URL }: Static<typeof WhySettings>): string => {
  if (BROKER_URL === undefined) return "The broker was not checked: set BROKER_URL.";
  return BROKER_MANAGEMENT_URL === undefined
    ? "The broker could not be looked at: if its user may not ask for queues, set BROKER_MANAGEMENT_URL."
    : "The broker could not be looked at: doctor says why.";
};

/** A broker that does not answer leaves much to be said all the same. */
async function observeBroker(
  settings: Static<typeof WhySettings>,
  agents: readonly string[],
): Promise<BrokerFacts | null> {
  const { BROKER_URL: url, BROKER_MANAGEMENT_URL: managementUrl = null } = settings;
  if (url === undefined) return null;
  try {
    const { blocked, queues } = await inspectBroker({ url, managementUrl, name, agents });
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
