import { exitCodes } from "../../exit-codes.ts";
import { summaryOf } from "../operation.ts";
import { own } from "../own-options.ts";
import { patchOf, patchOptions } from "../patch.ts";
import { requestOptions } from "../request-options.ts";
import type { Invocation, Outcome, Verb } from "../verb.ts";
import { ofTask } from "./act.ts";

const why = { short: "r", value: "WORDS" } as const;
const resubmission = requestOptions("resubmitStep", {
  reason: why,
  step: { value: "NAME" },
  input: {},
});
const resolution = requestOptions("resolveStep", {
  reason: why,
  step: { value: "NAME" },
  output: { name: "result" },
});
const retry = requestOptions("retryStep", { reason: why });
const fire = requestOptions("fireStep", { reason: why });

/** What a request of these verbs needs. Without a reason it was refused before. */
const required = ({ reason = "" }: { readonly reason?: string }, { actor }: Invocation) => ({
  reason,
  actor,
});

const resubmitVerb: Verb = {
  name: "tasks resubmit",
  operations: ["resubmitStep", "getTask"],
  operands: ["<id>"],
  summary: summaryOf("resubmitStep"),
  options: { ...resubmission.options, ...patchOptions, ...own("dry-run") },
  examples: [
    'tasks resubmit 01a1fd8d-d928-77c8-96cb-353aaba1757f --reason "the hotel is back"',
    'tasks resubmit 01a1fd8d-d928-77c8-96cb-353aaba1757f --set iban=DE02120300000000202051 --reason "a digit was wrong"',
  ],
  async run(invocation) {
    const given = await resubmission.read(invocation);
    const patch = patchOf(invocation);
    const changes = patch === undefined ? {} : { patch };
    const how = { ...given, ...changes, ...required(given, invocation) };
    const {
      operands: [id = ""],
      client,
    } = invocation;
    if (invocation.flag("dry-run")) return wouldRepair(invocation, "resubmit", how);
    return ofTask(await client().tasks.resubmit(id, how));
  },
};

const resolveVerb: Verb = {
  name: "tasks resolve",
  operations: ["resolveStep", "getTask"],
  operands: ["<id>"],
  summary: summaryOf("resolveStep"),
  options: { ...resolution.options, ...own("dry-run") },
  examples: [
    `tasks resolve 01a1fd8d-d928-77c8-96cb-353aaba1757f --reason "called instead" --result '{"id": 7}'`,
  ],
  async run(invocation) {
    const given = await resolution.read(invocation);
    const how = { ...given, ...required(given, invocation) };
    const {
      operands: [id = ""],
      client,
    } = invocation;
    if (invocation.flag("dry-run")) return wouldRepair(invocation, "resolve", how);
    return ofTask(await client().tasks.resolve(id, how));
  },
};

async function wouldRepair(
  { operands: [id = ""], client }: Invocation,
  act: "resubmit" | "resolve",
  how: { readonly step?: string },
): Promise<Outcome> {
  const { state, steps } = await client().tasks.get(id);
  const failed = steps.filter((one) => one.processState === "error").map((one) => one.name);
  const value = { dryRun: true, id, state, failed, ...how };
  if (!(how.step === undefined ? failed.length > 0 : failed.includes(how.step))) {
    const text = `Would be refused: ${id} has no failed step${how.step === undefined ? "" : ` ${how.step}`}.`;
    return { value, text, exitCode: exitCodes.refused };
  }
  return { value, text: `Would ${act} ${how.step ?? failed.join(", ")} of ${id}.` };
}

const retryVerb: Verb = {
  name: "tasks retry",
  operations: ["retryStep", "getTask"],
  operands: ["<id>", "<step>"],
  summary: summaryOf("retryStep"),
  options: retry.options,
  async run(invocation) {
    const { operands, client } = invocation;
    const [id = "", step = ""] = operands;
    const how = required(await retry.read(invocation), invocation);
    return ofTask(await client().tasks.retry(id, { ...how, step }));
  },
};

const fireVerb: Verb = {
  name: "tasks fire",
  operations: ["fireStep", "getTask"],
  operands: ["<id>", "<step>"],
  summary: summaryOf("fireStep"),
  options: fire.options,
  async run(invocation) {
    const { operands, client } = invocation;
    const [id = "", step = ""] = operands;
    const how = required(await fire.read(invocation), invocation);
    return ofTask(await client().tasks.fire(id, { ...how, step }));
  },
};

export const repairVerbs: readonly Verb[] = [resubmitVerb, resolveVerb, retryVerb, fireVerb];
