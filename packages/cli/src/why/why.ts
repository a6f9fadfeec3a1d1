import { explainTask } from "@holdfast/diagnosis";
import { PermanentFault } from "@holdfast/domain";
import { parseConfig } from "@holdfast/runtime";
import { openInspector } from "@holdfast/state-store";
import type { Static } from "typebox";
import type { Command } from "../command.ts";
import { WhySettings } from "../settings.ts";

const name = "holdfast why";

/** Says what a task waits for, or how it ended. */
export const why: Command = async ({ taskId }, env) => {
  const settings = parseConfig(WhySettings, env);
  const { BROKER_URL: url, BROKER_MANAGEMENT_URL: managementUrl = null } = settings;
  await using store = openInspector({ url: settings.STATE_STORE_URL, applicationName: name });
  const broker = url === undefined ? null : { url, managementUrl, name };
  const task = await explainTask({ store, broker }, taskId);
  if (task === null) {
    throw new PermanentFault("task.unknown", `There is no task ${taskId} in this state store`);
  }
  const { workflow, processState, sentence, evidence, sawBroker } = task;
  const unseen = sawBroker ? [] : [howToLook(settings)];
  return {
    exitCode: 0,
    text: [
      `${taskId} (${workflow}, ${processState})`,
      sentence,
      ...[...evidence, ...unseen].map((line) => `  ${line}`),
    ].join("\n"),
    json: { taskId, workflow, processState, sentence, evidence },
  };
};

const howToLook = ({ BROKER_URL, BROKER_MANAGEMENT_URL }: Static<typeof WhySettings>): string => {
  if (BROKER_URL === undefined) return "The broker was not checked: set BROKER_URL.";
  return BROKER_MANAGEMENT_URL === undefined
    ? "The broker could not be looked at: if its user may not ask for queues, set BROKER_MANAGEMENT_URL."
    : "The broker could not be looked at: doctor says why.";
};
