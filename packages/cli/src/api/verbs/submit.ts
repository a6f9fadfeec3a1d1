import { exitCodes } from "../../exit-codes.ts";
import { own } from "../own-options.ts";
import { requestOptions } from "../request-options.ts";
import { waitOf } from "../values.ts";
import type { Invocation, Outcome, Verb } from "../verb.ts";

const request = requestOptions("submitTask", {
  input: { short: "i", otherwise: "{}" },
  key: {},
  labels: { name: "label" },
  priority: {},
  "fairness.key": {},
  notBefore: { value: "INSTANT", isInstant: true },
  "idempotency-key": {},
  correlationId: {},
});

export const submitVerb: Verb = {
  name: "tasks submit",
  operations: ["submitTask", "getResult"],
  operands: ["<workflow>"],
  summary: "submit a task; the same --idempotency-key stands for the same task",
  options: { ...request.options, ...own("wait", "dry-run") },
  examples: [
    `tasks submit book-trip --input '{"guest": "Ada"}' --key trip-7 --label city=Lyon`,
    "tasks submit book-trip --input @trip.json --wait 30s --json",
  ],
  async run(invocation) {
    const { text } = invocation;
    const [workflow = ""] = invocation.operands;
    const { input, ...options } = await readAct(invocation);
    const wait = text("wait");
    const timeout = wait === undefined ? null : waitOf(wait, "--wait");
    if (invocation.flag("dry-run")) {
      const value = { dryRun: true, workflow, input, ...options };
      return { value, text: `Would submit ${JSON.stringify({ workflow, input, ...options })}` };
    }
    const client = invocation.client();
    if (timeout !== null) {
      const result = await client.run(workflow, input, { ...options, wait: timeout });
      return ofResult(result);
    }
    const task = await client.submit(workflow, input, options);
    return { value: task, text: task.id };
  },
};

async function readAct(invocation: Invocation) {
  const { "idempotency-key": idempotencyKey, ...given } = await request.read(invocation);
  return idempotencyKey === undefined ? given : { ...given, idempotencyKey };
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
  return state === "undone" || state === "halted" ? exitCodes.failed : exitCodes.timedOut;
}
