import type { Overview } from "@holdfast/client";
import type { Verb } from "../verb.ts";

export const overviewVerb: Verb = {
  name: "overview",
  operands: [],
  summary: "show how the system is, and what needs you",
  options: {},
  async run({ client }) {
    const value = await client().overview();
    return { value, text: textOf(value) };
  },
};

export const failuresVerb: Verb = {
  name: "failures list",
  operands: [],
  summary: "list failures that are alike, in groups, the latest first",
  options: {
    workflow: { type: "string", value: "NAME", help: "with its version, or without: all versions" },
  },
  async run(invocation) {
    const workflow = invocation.text("workflow");
    const { groups } = await invocation
      .client()
      .failures(workflow === undefined ? {} : { workflow });
    return {
      value: groups,
      columns: [
        "fingerprint",
        "count",
        "open",
        "workflow",
        "step",
        "faultCode",
        "message",
        "lastAt",
      ],
    };
  },
};

function textOf({ states, perMinute, needsYou, schedulers, supervisors }: Overview): string {
  const { pending, processing, compensating, error, processed, compensated } = states;
  const needs = needsYou.map(({ sentence }) => `! ${sentence}`);
  return [
    `${pending} pending, ${processing} processing, ${compensating} compensating, ${error} halted`,
    `${processed} processed and ${compensated} compensated in 24 hours`,
    `${perMinute.submitted} submitted and ${perMinute.ended} ended in a minute`,
    `${schedulers.length} Schedulers and ${supervisors.length} Supervisors`,
    ...(needs.length === 0 ? ["Nothing needs you."] : needs),
  ].join("\n");
}
