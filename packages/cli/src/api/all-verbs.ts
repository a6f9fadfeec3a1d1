import type { Verb } from "./verb.ts";
import { actVerbs } from "./verbs/act.ts";
import { agentVerbs } from "./verbs/agents.ts";
import { approvalVerbs } from "./verbs/approvals.ts";
import { bulkVerbs } from "./verbs/bulk.ts";
import { completionVerb } from "./verbs/completion.ts";
import { configVerbs, keyVerbs } from "./verbs/config.ts";
import { deadLetterVerbs } from "./verbs/dead-letters.ts";
import { diagnosisVerbs } from "./verbs/diagnosis.ts";
import { localVerbs } from "./verbs/local.ts";
import { lostVerb } from "./verbs/lost.ts";
import { mcpVerb } from "./verbs/mcp.ts";
import { openVerb } from "./verbs/open.ts";
import { pauseVerbs, remoteVerbs } from "./verbs/remotes.ts";
import { repairVerbs } from "./verbs/repair.ts";
import { signalVerbs } from "./verbs/signals.ts";
import { submitVerb } from "./verbs/submit.ts";
import { systemVerbs, taskReadings } from "./verbs/system.ts";
import {
  countVerb,
  findVerb,
  getVerb,
  historyVerb,
  listVerb,
  searchVerb,
  tailVerb,
  watchVerb,
} from "./verbs/view.ts";
import { workflowVerbs } from "./verbs/workflows.ts";

/** Every command: parser, help, completion and the reference follow from this table. */
export const allVerbs: readonly Verb[] = [
  submitVerb,
  getVerb,
  findVerb,
  historyVerb,
  listVerb,
  searchVerb,
  countVerb,
  watchVerb,
  tailVerb,
  ...taskReadings,
  ...actVerbs,
  ...bulkVerbs,
  ...repairVerbs,
  ...signalVerbs,
  ...approvalVerbs,
  ...workflowVerbs,
  ...agentVerbs,
  ...remoteVerbs,
  ...pauseVerbs,
  ...systemVerbs,
  ...deadLetterVerbs,
  ...configVerbs,
  ...keyVerbs,
  ...diagnosisVerbs,
  lostVerb,
  openVerb,
  mcpVerb,
  completionVerb(() => allVerbs),
  ...localVerbs,
];

/** The first words of commands that have several verbs, and what these are about. */
export const groupSummaries: Readonly<Record<string, string>> = {
  tasks: "submit, show, follow and operate tasks",
  workflows: "store, show, retire and pause workflows",
  signals: "send signals to the tasks of business keys",
  approvals: "show what waits for people to decide, approve and reject",
  agents: "show and pause Agents",
  remotes: "show remote services, hold and release them",
  pauses: "show what is paused, and what was",
  system: "show how the system is, what failed, and figures over time",
  bulk: "one action on many tasks, with a canary and a verified outcome",
  "dead-letters": "show messages that no service could use, replay and discard them",
  config: "profiles: which service, with which token",
  keys: "make keys of people and services, make and check operators' tokens",
};

/** The first words of all commands. */
export const commands: readonly string[] = [
  ...new Set(allVerbs.map(({ name }) => name.split(" ")[0] ?? "")),
];
