import { setTimeout } from "node:timers/promises";
import type { BulkItem, BulkOperation, NewBulkRequest } from "@holdfast/client";
import { bulkActions } from "@holdfast/domain";
import { exitCodes } from "../../exit-codes.ts";
import { filterOf, filterOptions } from "../filters.ts";
import { own } from "../own-options.ts";
import { patchOf, patchOptions } from "../patch.ts";
import { requestOptions } from "../request-options.ts";
import { UsageError } from "../usage-error.ts";
import { waitOf } from "../values.ts";
import type { Invocation, Outcome, Verb } from "../verb.ts";

const why = { short: "r", value: "WORDS" } as const;

const creation = requestOptions("createBulkOperation", {
  reason: why,
  step: { value: "NAME" },
  output: { name: "result" },
  canary: { value: "N" },
  rate: { value: "N" },
  dryRun: {},
  "idempotency-key": { value: "KEY", help: "the same key: the same operation" },
});
const listing = requestOptions("listBulkOperations", { limit: { value: "N" } });
const reading = requestOptions("listBulkItems", { outcome: {}, limit: { value: "N" } });
const stopping = requestOptions("stopBulkOperation", { reason: why });

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
  operations: ["createBulkOperation"],
  operands: ["<action>"],
  summary: `do one of ${bulkActions.join(", ")} to all tasks that match`,
  options: { ...filterOptions, ...creation.options, ...patchOptions },
  examples: [
    'bulk create resubmit --fault-code carriers.down --reason "the carrier is back" --canary 10 --rate 20',
    'bulk create resubmit --fault-code banks.unknown --set country=DE --reason "the form had no country" --dry-run',
  ],
  async run(invocation) {
    const { "idempotency-key": idempotencyKey, dryRun, ...given } = await creation.read(invocation);
    const patch = patchOf(invocation);
    const attribution = {
      ...given,
      ...(patch === undefined ? {} : { patch: [...patch] as NonNullable<NewBulkRequest["patch"]> }),
      ...(await readAct(invocation)),
      reason: given.reason ?? "",
    };
    const { bulk } = invocation.client();
    if (dryRun === true) {
      const forecast = await bulk.forecast(attribution);
      const note = `Would ${attribution.action} ${forecast.allowed} of ${forecast.matches} tasks.`;
      return { value: forecast, items: forecast.refused, columns: ["reason", "count"], note };
    }
    return ofOperation(
      await bulk.create(attribution, idempotencyKey === undefined ? {} : { idempotencyKey }),
    );
  },
};

/** Which action, on which tasks. */
async function readAct(
  invocation: Invocation,
): Promise<Pick<NewBulkRequest, "action" | "filter" | "actor">> {
  const [asked] = invocation.operands;
  const action = bulkActions.find((one) => one === asked);
  if (action === undefined) {
    throw new UsageError(`There is no action ${asked}: name one of ${bulkActions.join(", ")}`);
  }
  const { createdFrom, createdBefore, ...filter } = (await filterOf(invocation)) ?? {};
  const createdAt = {
    ...(createdFrom === undefined ? {} : { $gte: createdFrom }),
    ...(createdBefore === undefined ? {} : { $lt: createdBefore }),
  };
  const within = Object.keys(createdAt).length > 0 ? { createdAt } : {};
  const { actor } = invocation;
  return { action, filter: { ...filter, ...within } as NewBulkRequest["filter"], actor };
}

const ofOperation = (operation: BulkOperation): Outcome => ({ value: operation, columns });

const listVerb: Verb = {
  name: "bulk list",
  operations: ["listBulkOperations"],
  operands: [],
  summary: "list bulk operations, latest first",
  options: listing.options,
  async run(invocation) {
    const { items } = await invocation.client().bulk.list(await listing.read(invocation));
    const note = items.length === 0 ? "There is no bulk operation." : undefined;
    return { value: items, columns, note };
  },
};

const getVerb: Verb = {
  name: "bulk get",
  operations: ["getBulkOperation"],
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

/** Milliseconds between two looks at an operation. */
const pollInterval = 1_000;

const watchVerb: Verb = {
  name: "bulk watch",
  operations: ["getBulkOperation"],
  operands: ["<id>"],
  summary:
    "follow a bulk operation until it has ended; exit code 4 if that takes longer than --wait",
  options: own("wait"),
  examples: ["bulk watch 12 --wait 10m"],
  async run({ operands: [id = ""], client, text, io }) {
    const wait = text("wait");
    const until = wait === undefined ? Infinity : performance.now() + waitOf(wait, "--wait");
    const { bulk } = client();
    for (;;) {
      const operation = await bulk.get(id);
      const { state, done, matched, endedAt } = operation;
      const isOver = endedAt !== null || performance.now() > until;
      if (isOver && io.isTerminal) io.err("\r\u001b[K");
      if (endedAt !== null) return ofOperation(operation);
      if (isOver) return { ...ofOperation(operation), exitCode: exitCodes.timedOut };
      if (io.isTerminal) io.err(`\r\u001b[K${state}: ${done} of ${matched}`);
      await setTimeout(pollInterval);
    }
  },
};

const itemsVerb: Verb = {
  name: "bulk items",
  operations: ["listBulkItems"],
  operands: ["<id>"],
  summary: "list the tasks of a bulk operation and what became of each",
  options: { ...reading.options, ...own("all") },
  async run(invocation) {
    const { operands, flag, client } = invocation;
    const how = await reading.read(invocation);
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
  operations: ["stopBulkOperation"],
  operands: ["<id>"],
  summary: "apply no further item of a bulk operation",
  options: stopping.options,
  async run(invocation) {
    const { reason = "" } = await stopping.read(invocation);
    const how = { reason, actor: invocation.actor };
    return ofOperation(await invocation.client().bulk.stop(invocation.operands[0] ?? "", how));
  },
};

export const bulkVerbs: readonly Verb[] = [
  createVerb,
  listVerb,
  getVerb,
  watchVerb,
  itemsVerb,
  stopVerb,
];
