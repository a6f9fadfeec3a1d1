import type { components } from "@holdfast/client";
import { readingVerb } from "../operation-verb.ts";
import { table } from "../print.ts";
import { requestOptions } from "../request-options.ts";
import type { Verb } from "../verb.ts";

type Schemas = components["schemas"];

const instant = { value: "INSTANT", isInstant: true } as const;
const workflow = { value: "NAME" };

/** What the service says of one task. */
export const taskReadings: readonly Verb[] = [
  readingVerb({
    name: "tasks attempts",
    operation: "listAttempts",
    show: (value: Schemas["Attempts"]) => ({
      value,
      items: value.items,
      columns: ["step", "kind", "attempt", "agent", "claimedAt", "outcome", "faultCode"],
    }),
  }),
];

/** What the service says of the whole system. */
export const systemVerbs: readonly Verb[] = [
  readingVerb({
    name: "system get",
    operation: "getSystem",
    show: (value: Schemas["System"]) => ({ value, text: JSON.stringify(value, null, 2) }),
  }),
  readingVerb({
    name: "system overview",
    operation: "getOverview",
    show: (value: Schemas["Overview"]) => ({
      value,
      items: value.agents,
      text: overviewText(value),
    }),
  }),
  readingVerb({
    name: "system failures",
    operation: "listFailures",
    request: requestOptions("listFailures", {
      workflow,
      createdFrom: instant,
      createdBefore: instant,
    }),
    show: (value: Schemas["Failures"]) => ({
      value,
      items: value.groups,
      columns: ["fingerprint", "workflow", "step", "faultCode", "count", "open", "message"],
    }),
  }),
  readingVerb({
    name: "system statistics",
    operation: "getStatistics",
    request: requestOptions("getStatistics", { from: instant, until: instant, workflow }),
    show: (value: Schemas["Statistics"]) => ({ value, items: value.workflows }),
  }),
];

type Overview = components["schemas"]["Overview"];

/**
 * An overview for people: how many tasks there are, what needs them, and how the Agents do. What
 * another release leaves out is left out.
 */
function overviewText({
  states = {} as Overview["states"],
  needsYou = [],
  agents = [],
}: Partial<Overview>): string {
  const counts = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  const needs = needsYou.map(({ sentence, act }) => `! ${[sentence, act ?? ""].join(" ").trim()}`);
  const columns = ["name", "instances", "slots", "inFlight", "due", "p95Ms", "breaker", "paused"];
  return [counts.join(", "), ...needs, table(agents, columns)].filter((part) => part).join("\n");
}
