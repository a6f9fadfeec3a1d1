import type { Verb } from "./verb.ts";
import { actVerbs } from "./verbs/act.ts";
import { agentVerbs } from "./verbs/agents.ts";
import { bulkVerbs } from "./verbs/bulk.ts";
import { completionVerb } from "./verbs/completion.ts";
import { configVerbs, keyVerbs } from "./verbs/config.ts";
import { deadLetterVerbs } from "./verbs/dead-letters.ts";
import {
  countVerb,
  findVerb,
  getVerb,
  historyVerb,
  listVerb,
  searchVerb,
  watchVerb,
} from "./verbs/look.ts";
import { pauseVerbs, remoteVerbs } from "./verbs/remotes.ts";
import { repairVerbs } from "./verbs/repair.ts";
import { submitVerb } from "./verbs/submit.ts";
import { systemVerbs, taskReadings } from "./verbs/system.ts";
import { workflowVerbs } from "./verbs/workflows.ts";

/** Every command that talks to the API, or is about how to do that. */
export const allVerbs: readonly Verb[] = [
  submitVerb,
  getVerb,
  findVerb,
  historyVerb,
  listVerb,
  searchVerb,
  countVerb,
  watchVerb,
  ...taskReadings,
  ...actVerbs,
  ...bulkVerbs,
  ...repairVerbs,
  ...workflowVerbs,
  ...agentVerbs,
  ...remoteVerbs,
  ...pauseVerbs,
  ...systemVerbs,
  ...deadLetterVerbs,
  ...configVerbs,
  ...keyVerbs,
  completionVerb(() => allVerbs),
];

export const groups: readonly string[] = [
  ...new Set(allVerbs.map(({ name }) => name.split(" ")[0] ?? "")),
];
