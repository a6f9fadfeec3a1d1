import type { HistoryEntry } from "@holdfast/client";
import { filterOf, filterOptions } from "../filters.ts";
import { table } from "../print.ts";
import { UsageError } from "../usage-error.ts";
import { waitOf } from "../values.ts";
import type { Verb } from "../verb.ts";
import { ofResult } from "./submit.ts";

const columns = ["id", "workflow", "state", "key", "faultCode", "updatedAt"];

export const getVerb: Verb = {
  name: "tasks get",
  operands: ["<id>"],
  summary: "show a task and its steps",
  options: {},
  async run({ operands: [id = ""], client }) {
    const task = await client().tasks.get(id);
    const steps = table(task.steps, ["name", "agent", "processState", "attempt", "faultCode"]);
    return { value: task, text: `${table([task], columns)}\n\n${steps}` };
  },
};

export const listVerb: Verb = {
  name: "tasks list",
  operands: [],
  summary: "list tasks, newest first",
  options: {
    ...filterOptions,
    limit: { type: "string", value: "N", help: "how many; 20 unless said otherwise" },
    all: { type: "boolean", help: "every one that matches" },
  },
  async run(invocation) {
    const most = invocation.flag("all")
      ? Number.POSITIVE_INFINITY
      : limitOf(invocation.text("limit"));
    const filter = filterOf(invocation) ?? {};
    const { tasks } = invocation.client();
    const items: object[] = [];
    for await (const task of tasks.all(filter)) {
      items.push(task);
      if (items.length >= most) break;
    }
    const note = items.length === 0 ? "No task matches." : undefined;
    return { value: items, columns, note };
  },
};

function limitOf(text = "20"): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new UsageError(`--limit ${text} must be a number from 1 on; --all for every one`);
}

export const countVerb: Verb = {
  name: "tasks count",
  operands: [],
  summary: "count tasks",
  options: filterOptions,
  async run(invocation) {
    const found = await invocation.client().tasks.count(filterOf(invocation) ?? {});
    return { value: found, text: `${found.complete ? "" : "at least "}${found.count}` };
  },
};

export const watchVerb: Verb = {
  name: "tasks watch",
  operands: ["<id>"],
  summary: "follow a task until it has ended; exit code 1 if it was undone",
  options: {
    wait: { type: "string", value: "DURATION", help: "for how long at most; for ever otherwise" },
  },
  async run({ operands: [id = ""], client, text, output, io }) {
    const wait = text("wait");
    const limit = wait === undefined ? undefined : AbortSignal.timeout(waitOf(wait, "--wait"));
    const events: HistoryEntry[] = [];
    const service = client();
    const moves = service.follow(id, limit === undefined ? {} : { signal: limit });
    try {
      for (;;) {
        const next = await moves.next();
        if (next.done === true) {
          const outcome = ofResult(next.value);
          if (output === "jsonl") return { ...outcome, items: [next.value] };
          return { ...outcome, value: { ...next.value, events } };
        }
        events.push(next.value);
        if (output === "jsonl") io.out(`${JSON.stringify(next.value)}\n`);
        if (output === "table") io.out(`${lineOf(next.value)}\n`);
      }
    } catch (error) {
      if (limit?.aborted !== true) throw error;
      const outcome = ofResult(await service.result(id));
      return output === "json"
        ? { ...outcome, value: { ...(outcome.value as object), events } }
        : outcome;
    }
  },
};

function lineOf({ at, step, action, fromState, toState, reason }: HistoryEntry): string {
  const move = fromState === null ? toState : `${fromState} → ${toState}`;
  return [at, (step ?? "").padEnd(20), action.padEnd(10), move, reason ?? ""].join("  ").trimEnd();
}
