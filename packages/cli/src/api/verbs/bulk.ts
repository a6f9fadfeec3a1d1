import type { BulkItem, BulkOperation, BulkWish } from "@holdfast/client";
import { filterOf, filterOptions } from "../filters.ts";
import { UsageError } from "../usage-error.ts";
import { jsonOf, required } from "../values.ts";
import type { Invocation, OptionSpec, Outcome, Verb } from "../verb.ts";

const actions = ["resubmit", "undo", "cancel", "pause", "resume", "resolve", "retryNow"] as const;
const outcomes = ["waiting", "applied", "refused", "succeeded", "failedAgain"] as const;

const reason: OptionSpec = {
  type: "string",
  short: "r",
  value: "WORDS",
  help: "why: kept in the history",
};

const columns = [
  "id",
  "action",
  "state",
  "matched",
  "done",
  "refused",
  "verified.succeeded",
  "verified.failedAgain",
  "actor",
];

const createVerb: Verb = {
  name: "bulk create",
  operands: ["<action>"],
  summary: `do one of ${actions.join(", ")} to all tasks that match`,
  options: {
    ...filterOptions,
    reason,
    step: {
      type: "string",
      value: "NAME",
      help: "which step of each task, if several can be meant",
    },
    result: {
      type: "string",
      value: "JSON",
      help: "of resolve: what the step returned; @file or - too",
    },
    canary: { type: "string", value: "N", help: "so many tasks first; the others if all succeed" },
    rate: { type: "string", value: "N", help: "tasks a second; 10 unless said otherwise" },
    "idempotency-key": { type: "string", value: "KEY", help: "the same key: the same operation" },
    "dry-run": { type: "boolean", help: "only say what would be done" },
  },
  async run(invocation) {
    const wish = await wishOf(invocation);
    const { bulk } = invocation.client();
    if (invocation.flag("dry-run")) {
      const forecast = await bulk.forecast(wish);
      const note = `Would ${wish.action} ${forecast.allowed} of ${forecast.matches} tasks.`;
      return { value: forecast, items: forecast.refused, columns: ["reason", "count"], note };
    }
    const idempotencyKey = invocation.text("idempotency-key");
    return ofOperation(
      await bulk.create(wish, idempotencyKey === undefined ? {} : { idempotencyKey }),
    );
  },
};

async function wishOf(invocation: Invocation): Promise<BulkWish> {
  const { operands, text, io } = invocation;
  const action = actions.find((one) => one === operands[0]);
  if (action === undefined) {
    throw new UsageError(`There is no action ${operands[0]}: name one of ${actions.join(", ")}`);
  }
  const { createdFrom, createdBefore, ...filter } = filterOf(invocation) ?? {};
  const createdAt = {
    ...(createdFrom === undefined ? {} : { $gte: createdFrom }),
    ...(createdBefore === undefined ? {} : { $lt: createdBefore }),
  };
  const result = text("result");
  const step = text("step");
  const [canary, rate] = [numberOf(invocation, "canary"), numberOf(invocation, "rate")];
  return {
    action,
    filter: {
      ...filter,
      ...(Object.keys(createdAt).length > 0 ? { createdAt } : {}),
    } as BulkWish["filter"],
    reason: required(invocation, "reason"),
    actor: invocation.actor,
    ...(step === undefined ? {} : { step }),
    ...(result === undefined ? {} : { output: await jsonOf(result, "--result", io) }),
    ...(canary === undefined ? {} : { canary }),
    ...(rate === undefined ? {} : { rate }),
  };
}

function numberOf({ text }: Invocation, option: string): number | undefined {
  const given = text(option);
  if (given === undefined) return undefined;
  if (/^\d{1,6}(\.\d{1,3})?$/.test(given)) return Number(given);
  throw new UsageError(`--${option} ${given} must be a number such as 10`);
}

const ofOperation = (operation: BulkOperation): Outcome => ({ value: operation, columns });

const limit: OptionSpec = {
  type: "string",
  value: "N",
  help: "how many; 20 unless said otherwise",
};

function limitOf({ text }: Invocation): { readonly limit?: number } {
  const given = text("limit");
  if (given === undefined) return {};
  if (/^([1-9]\d?|100)$/.test(given)) return { limit: Number(given) };
  throw new UsageError(`--limit ${given} must be a number from 1 to 100`);
}

const listVerb: Verb = {
  name: "bulk list",
  operands: [],
  summary: "list bulk operations, latest first",
  options: { limit },
  async run(invocation) {
    const { items } = await invocation.client().bulk.list(limitOf(invocation));
    const note = items.length === 0 ? "There is no bulk operation." : undefined;
    return { value: items, columns, note };
  },
};

const showVerb: Verb = {
  name: "bulk show",
  operands: ["<id>"],
  summary: "show a bulk operation and how far it is",
  options: {},
  async run({ operands: [id = ""], client }) {
    const operation = await client().bulk.get(id);
    const { stoppedBy, stopReason } = operation;
    const note = stoppedBy === null ? undefined : `Stopped by ${stoppedBy}: ${stopReason}`;
    return { ...ofOperation(operation), note };
  },
};

const itemsVerb: Verb = {
  name: "bulk items",
  operands: ["<id>"],
  summary: "list the tasks of a bulk operation and what became of each",
  options: {
    outcome: {
      type: "string",
      value: "OUTCOME",
      help: `only these: ${outcomes.join(", ")}`,
      choices: outcomes,
    },
    limit,
    all: { type: "boolean", help: "every one" },
  },
  async run(invocation) {
    const { operands, text, flag, client } = invocation;
    const asked = text("outcome");
    const outcome = outcomes.find((one) => one === asked);
    if (asked !== undefined && outcome === undefined) {
      throw new UsageError(`--outcome ${asked} must be one of ${outcomes.join(", ")}`);
    }
    const how = { ...(outcome === undefined ? {} : { outcome }), ...limitOf(invocation) };
    const value: BulkItem[] = [];
    let after: string | null = null;
    do {
      const page = await client().bulk.items(operands[0] ?? "", { ...how, after });
      value.push(...page.items);
      after = page.next;
    } while (after !== null && flag("all"));
    const note = value.length === 0 ? "There is no such item." : undefined;
    return { value, columns: ["taskId", "outcome", "code", "step", "at"], note };
  },
};

const stopVerb: Verb = {
  name: "bulk stop",
  operands: ["<id>"],
  summary: "apply no further item of a bulk operation",
  options: { reason },
  async run(invocation) {
    const how = { reason: required(invocation, "reason"), actor: invocation.actor };
    return ofOperation(await invocation.client().bulk.stop(invocation.operands[0] ?? "", how));
  },
};

export const bulkVerbs: readonly Verb[] = [createVerb, listVerb, showVerb, itemsVerb, stopVerb];
