import type { components } from "@holdfast/client";
import { explainTask } from "@holdfast/diagnosis";
import { PermanentFault } from "@holdfast/domain";
import { BrokerManagementUrl, BrokerUrl, parseConfig, StateStoreUrl } from "@holdfast/runtime";
import { openInspector } from "@holdfast/state-store";
import type { Static } from "typebox";
import { Type } from "typebox";
import type { Invocation } from "../api/verb.ts";
import { environmentFor } from "./settings.ts";

const name = "holdfast why";

/** It can say much without a broker. */
const Settings = Type.Object({
  STATE_STORE_URL: StateStoreUrl,
  BROKER_URL: Type.Optional(BrokerUrl),
  BROKER_MANAGEMENT_URL: Type.Optional(BrokerManagementUrl),
});

/** Says what a task waits for, or how it ended. */
export async function why(
  invocation: Pick<Invocation, "text" | "io">,
  taskId: string,
): Promise<components["schemas"]["Explanation"]> {
  const settings = parseConfig(Settings, environmentFor(invocation));
  const { BROKER_URL: url, BROKER_MANAGEMENT_URL: managementUrl = null } = settings;
  await using store = openInspector({ url: settings.STATE_STORE_URL, applicationName: name });
  const broker = url === undefined ? null : { url, managementUrl, name };
  const task = await explainTask({ store, broker }, taskId);
  if (task === null) {
    throw new PermanentFault("task.unknown", `There is no task ${taskId} in this state store`);
  }
  const { workflow, processState: state, sentence, evidence, steps, turnOf, sawBroker } = task;
  const unseen = sawBroker ? [] : [howToInspect(settings)];
  return {
    taskId,
    workflow,
    state,
    sentence,
    evidence: [...evidence, ...unseen],
    steps: [...steps],
    turnOf,
  };
}

const howToInspect = ({ BROKER_URL, BROKER_MANAGEMENT_URL }: Static<typeof Settings>): string => {
  if (BROKER_URL === undefined) return "The broker was not checked: set BROKER_URL.";
  return BROKER_MANAGEMENT_URL === undefined
    ? "The broker could not be looked at: if its user may not ask for queues, set BROKER_MANAGEMENT_URL."
    : "The broker could not be looked at: doctor says why.";
};
