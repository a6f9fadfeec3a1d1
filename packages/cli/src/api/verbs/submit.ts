import { exitCodes } from "../../exit-codes.ts";
import { instantOf, jsonOf, labelsOf, waitOf } from "../values.ts";
import type { Invocation, Outcome, Verb } from "../verb.ts";

export const submitVerb: Verb = {
  name: "tasks submit",
  operands: ["<workflow>"],
  summary: "submit a task; the same --idempotency-key stands for the same task",
  options: {
    input: { type: "string", short: "i", value: "JSON", help: "the input; @file or - too" },
    key: {
      type: "string",
      value: "KEY",
      help: "business key: one open task of the workflow has it",
    },
    label: {
      type: "string",
      multiple: true,
      value: "NAME=VALUE",
      help: "a label; may be repeated",
    },
    priority: {
      type: "string",
      value: "PRIORITY",
      help: "urgent, normal or batch",
      choices: ["urgent", "normal", "batch"],
    },
    "fairness-key": { type: "string", value: "KEY", help: "by what it shares its band" },
    "not-before": { type: "string", value: "INSTANT", help: "when it begins, or +1h" },
    "idempotency-key": { type: "string", value: "KEY", help: "a new one unless said otherwise" },
    "correlation-id": { type: "string", value: "ID", help: "what its notifications carry" },
    wait: { type: "string", value: "DURATION", help: "wait for the result, such as 30s" },
    "dry-run": { type: "boolean", help: "only show what would be submitted" },
  },
  async run(invocation) {
    const { operands, io, text } = invocation;
    const [workflow = ""] = operands;
    const input = await jsonOf(text("input") ?? "{}", "--input", io);
    const options = optionsOf(invocation);
    const wait = text("wait");
    const patience = wait === undefined ? null : waitOf(wait, "--wait");
    if (invocation.flag("dry-run")) {
      const value = { dryRun: true, workflow, input, ...options };
      return { value, text: `Would submit ${JSON.stringify({ workflow, input, ...options })}` };
    }
    const client = invocation.client();
    if (patience !== null) {
      const result = await client.run(workflow, input, { ...options, wait: patience });
      return ofResult(result);
    }
    const task = await client.submit(workflow, input, options);
    return { value: task, text: task.id };
  },
};

function optionsOf({ text, texts }: Invocation) {
  const fairness = text("fairness-key");
  const notBefore = text("not-before");
  const given = {
    key: text("key"),
    priority: text("priority") as "urgent" | "normal" | "batch" | undefined,
    idempotencyKey: text("idempotency-key"),
    correlationId: text("correlation-id"),
    labels: texts("label").length === 0 ? undefined : labelsOf(texts("label")),
    fairness: fairness === undefined ? undefined : { key: fairness },
    notBefore: notBefore === undefined ? undefined : instantOf(notBefore, "--not-before"),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof typeof given]?: NonNullable<(typeof given)[K]>;
  };
}

interface Result {
  readonly id: string;
  readonly state: string;
  readonly result: unknown;
  readonly faultCode: string | null;
}

/** How a task ended, or that it has not. */
export function ofResult(result: Result): Outcome {
  const { id, state, faultCode } = result;
  const because = faultCode === null ? "" : `, because of ${faultCode}`;
  const text = `${id} ${state}${because}${state === "processed" ? ` ${JSON.stringify(result.result)}` : ""}`;
  return { value: result, text, exitCode: exitCodeFor(state) };
}

function exitCodeFor(state: string): number {
  if (state === "processed") return exitCodes.ok;
  return state === "compensated" ? exitCodes.failed : exitCodes.timedOut;
}
