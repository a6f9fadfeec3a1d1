import type { Verb } from "./verb.ts";
import { actVerbs } from "./verbs/act.ts";
import { agentVerbs } from "./verbs/agents.ts";
import { bulkVerbs } from "./verbs/bulk.ts";
import { completionVerb } from "./verbs/completion.ts";
import { configVerbs, keyVerbs } from "./verbs/config.ts";
import { countVerb, getVerb, listVerb, watchVerb } from "./verbs/look.ts";
import { failuresVerb, overviewVerb } from "./verbs/overview.ts";
import { submitVerb } from "./verbs/submit.ts";
import { workflowVerbs } from "./verbs/workflows.ts";

/** Every command that talks to the API, or is about how to do that. */
export const allVerbs: readonly Verb[] = [
  submitVerb,
  getVerb,
  listVerb,
  countVerb,
  watchVerb,
  ...actVerbs,
  ...bulkVerbs,
  ...workflowVerbs,
  ...agentVerbs,
  overviewVerb,
  failuresVerb,
  ...configVerbs,
  ...keyVerbs,
  completionVerb(() => allVerbs),
];

export const groups: readonly string[] = [
  ...new Set(allVerbs.map(({ name }) => name.split(" ")[0] ?? "")),
];
