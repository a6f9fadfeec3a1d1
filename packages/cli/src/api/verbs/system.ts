import type { components } from "@holdfast/client";
import { exitCodes } from "../../exit-codes.ts";
import { readingVerb } from "../operation-verb.ts";
import { overviewText } from "../overview-text.ts";
import { requestOptions } from "../request-options.ts";
import type { Verb } from "../verb.ts";

type Schemas = components["schemas"];

const instant = { value: "INSTANT", isInstant: true } as const;
const workflow = { value: "NAME" };
const exitCodeIf = (ok: boolean) => (ok ? exitCodes.ok : exitCodes.failed);

/** What the service says of one task. */
export const taskReadings: readonly Verb[] = [
  readingVerb({
    name: "tasks why",
    operation: "explainTask",
    show: (value: Schemas["Explanation"]) => ({
      value,
      text: [value.sentence, ...value.evidence.map((line) => `  ${line}`)].join("\n"),
    }),
  }),
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
    name: "system show",
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
  readingVerb({
    name: "system doctor",
    operation: "examine",
    show: (value: Schemas["Examination"]) => ({
      value,
      items: value.findings,
      exitCode: exitCodeIf(value.ok),
    }),
  }),
  readingVerb({
    name: "system verify",
    operation: "verify",
    show: (value: Schemas["Verification"]) => ({
      value,
      items: value.violations,
      note: `${value.violations.length} violations among ${value.tasks} tasks.`,
      exitCode: exitCodeIf(value.ok),
    }),
  }),
];
