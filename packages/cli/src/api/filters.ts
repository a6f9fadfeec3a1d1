import type { ListFilter } from "@holdfast/client";
import { instantOf, labelsOf } from "./values.ts";
import type { Invocation, OptionSpec } from "./verb.ts";

const states = [
  "open",
  "pending",
  "processing",
  "error",
  "compensating",
  "processed",
  "compensated",
];

/** The options that say which tasks are meant. */
export const filterOptions = {
  state: {
    type: "string",
    value: "STATE",
    help: `${states.join(", ")}; open: not ended`,
    choices: states,
  },
  workflow: { type: "string", value: "NAME", help: "with its version, or without: all versions" },
  key: { type: "string", value: "KEY", help: "the business key" },
  label: { type: "string", multiple: true, value: "NAME=VALUE", help: "a label; may be repeated" },
  priority: {
    type: "string",
    value: "PRIORITY",
    help: "urgent, normal or batch",
    choices: ["urgent", "normal", "batch"],
  },
  "fault-code": { type: "string", value: "CODE", help: "why it failed" },
  fingerprint: { type: "string", value: "ID", help: "a group of failures that are alike" },
  "correlation-id": { type: "string", value: "ID", help: "the correlation id" },
  "created-from": { type: "string", value: "INSTANT", help: "submitted then or later" },
  "created-before": { type: "string", value: "INSTANT", help: "submitted earlier" },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** What the options ask for; null: none is given. */
export function filterOf(invocation: Invocation): ListFilter | null {
  const labels = Object.entries(labelsOf(invocation.texts("label")));
  const at = (option: string) => {
    const text = invocation.text(option);
    return text === undefined ? undefined : instantOf(text, `--${option}`);
  };
  const asked = Object.entries({
    state: invocation.text("state"),
    workflow: invocation.text("workflow"),
    key: invocation.text("key"),
    priority: invocation.text("priority"),
    faultCode: invocation.text("fault-code"),
    fingerprint: invocation.text("fingerprint"),
    correlationId: invocation.text("correlation-id"),
    createdFrom: at("created-from"),
    createdBefore: at("created-before"),
    ...Object.fromEntries(labels.map(([name, value]) => [`label.${name}`, value])),
  }).filter(([, value]) => value !== undefined);
  return asked.length === 0 ? null : (Object.fromEntries(asked) as ListFilter);
}
