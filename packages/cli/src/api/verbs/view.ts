import type {
  Change,
  HistoryEntry,
  HoldfastClient,
  ListedTask,
  SearchQuery,
  Step,
  Task,
  TaskPage,
} from "@holdfast/client";
import { saidBy } from "@holdfast/domain";
import { filterOf, filterOptions } from "../filters.ts";
import { summaryOf } from "../operation.ts";
import { own } from "../own-options.ts";
import { table, thereAreMore } from "../print.ts";
import { requestOptions } from "../request-options.ts";
import { UsageError } from "../usage-error.ts";
import { waitOf, wholeOf } from "../values.ts";
import type { Invocation, Outcome, Output, Verb } from "../verb.ts";
import { ofResult } from "./submit.ts";

const columns = ["id", "workflow", "state", "key", "faultCode", "updatedAt"];

export const getVerb: Verb = {
  name: "tasks get",
  operations: ["getTask"],
  operands: ["<id>"],
  summary: "show a task and its steps",
  options: {},
  async run({ operands: [id = ""], client, at }) {
    return shown(await client().tasks.get(id), at);
  },
};

function shown(task: Task, at: Invocation["at"]): Outcome {
  const steps = table(task.steps, ["name", "agent", "processState", "attempt", "faultCode"], at);
  const waits = task.steps.flatMap((step) => waitLines(step, at));
  const parts = [
    table([task], columns, at),
    steps,
    ...(waits.length === 0 ? [] : [waits.join("\n")]),
  ];
  return { value: task, text: parts.join("\n\n") };
}

/** Says what a step waits for, apart from other steps and its Agent; none: nothing. */
function waitLines({ name, awaiting }: Step, at: Invocation["at"]): readonly string[] {
  if (awaiting === null) return [];
  const { until, signal, audience } = awaiting;
  const decided = audience === null ? [] : [`for ${audience} to decide`];
  const what = signal === null ? decided : [`for the signal ${signal}`];
  const end = until === null ? [] : [`until ${at(until)}`];
  return [`${name} waits ${[...what, ...end].join(", ")}`];
}

export const findVerb: Verb = {
  name: "tasks find",
  operations: ["getTaskByKey"],
  operands: ["<workflow>", "<key>"],
  summary: "show the task of a workflow that has a business key, or had it last",
  options: {},
  async run({ operands: [workflow = "", key = ""], client, at }) {
    return shown(await client().tasks.getByKey(workflow, key), at);
  },
};

export const historyVerb: Verb = {
  name: "tasks history",
  operations: ["getHistory"],
  operands: ["<id>"],
  summary: summaryOf("getHistory"),
  options: {},
  async run({ operands: [id = ""], client }) {
    const value = await client().tasks.history(id);
    return { value, text: value.map(lineOf).join("\n") };
  },
};

export const listVerb: Verb = {
  name: "tasks list",
  operations: ["listTasks"],
  operands: [],
  summary: "list tasks, newest first",
  examples: ["tasks list --workflow book-trip --label city=Lyon", "tasks list --all -o id"],
  options: { ...filterOptions, ...own("limit", "all") },
  async run(invocation) {
    const filter = (await filterOf(invocation)) ?? {};
    return listed(invocation.client().tasks.all(filter), mostOf(invocation));
  },
};

const search = requestOptions("searchTasks", { filter: { short: "f" } });

export const searchVerb: Verb = {
  name: "tasks search",
  operations: ["searchTasks"],
  operands: [],
  summary: "list tasks that match a filter of several conditions, newest first",
  options: { ...search.options, ...own("limit", "all") },
  examples: [`tasks search --filter '{"key": {"$like": "trip-*"}}'`],
  async run(invocation) {
    const query = await search.read(invocation);
    const { tasks } = invocation.client();
    return listed(searchAll(tasks, query), mostOf(invocation));
  },
};

async function* searchAll(
  tasks: HoldfastClient["tasks"],
  query: SearchQuery,
): AsyncGenerator<ListedTask, void> {
  let after: string | null = null;
  do {
    const page = after === null ? { limit: 100 } : { limit: 100, after };
    const found: TaskPage = await tasks.search({ ...query, ...page });
    yield* found.items;
    after = found.next;
  } while (after !== null);
}

const mostOf = ({ flag, text }: Invocation): number =>
  flag("all") ? Number.POSITIVE_INFINITY : limitOf(text("limit"));

async function listed(tasks: AsyncIterable<ListedTask>, most: number): Promise<Outcome> {
  const items: ListedTask[] = [];
  let note: string | undefined;
  for await (const task of tasks) {
    if (items.length === most) {
      note = thereAreMore;
      break;
    }
    items.push(task);
  }
  return { value: items, columns, note: items.length === 0 ? "No task matches." : note };
}

function limitOf(text = "20"): number {
  if (/^0*[1-9]\d*$/.test(text)) return wholeOf(text);
  throw new UsageError(`--limit ${text} must be a number from 1 on; --all for every one`);
}

export const countVerb: Verb = {
  name: "tasks count",
  operations: ["countTasks"],
  operands: [],
  summary: "count tasks",
  options: filterOptions,
  async run(invocation) {
    const found = await invocation.client().tasks.count((await filterOf(invocation)) ?? {});
    return { value: found, text: `${found.complete ? "" : "at least "}${found.count}` };
  },
};

export const watchVerb: Verb = {
  name: "tasks watch",
  operations: ["followTask", "getResult", "getHistory", "getTask"],
  operands: ["<id>"],
  summary: "follow a task until it has ended or halted; exit code 1 if it halted or was undone",
  options: own("wait"),
  examples: ["tasks watch 01a1fd8d-d928-77c8-96cb-353aaba1757f --wait 5m --json"],
  async run(invocation) {
    const {
      operands: [id = ""],
      client,
      text,
      output,
      io,
    } = invocation;
    const wait = text("wait");
    const limit = wait === undefined ? undefined : AbortSignal.timeout(waitOf(wait, "--wait"));
    const events: HistoryEntry[] = [];
    const service = client();
    const moves = service.follow(id, { signal: limit, untilHalted: true });
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
        if (output === "table") await printMove(invocation, service, next.value);
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

/** Prints a move of a task, and for what its step waits that has just begun to. */
async function printMove(
  { operands: [id = ""], io, at }: Invocation,
  { tasks }: HoldfastClient,
  move: HistoryEntry,
): Promise<void> {
  io.out(`${lineOf(move)}\n`);
  if (move.toState !== "awaiting") return;
  const { steps } = await tasks.get(id);
  const lines = steps.filter(({ name }) => name === move.step).flatMap((one) => waitLines(one, at));
  for (const line of lines) io.out(`  ${line}\n`);
}

export const tailVerb: Verb = {
  name: "tasks tail",
  operations: ["followChanges"],
  operands: [],
  summary: "follow all tasks, a line for each that changes, until Ctrl-C or for as long as --wait",
  options: own("wait"),
  examples: ["tasks tail", "tasks tail --wait 1h -o jsonl"],
  async run({ client, text, output, io }) {
    const wait = text("wait");
    const limit = wait === undefined ? undefined : AbortSignal.timeout(waitOf(wait, "--wait"));
    const seen: ChangedTask[] = [];
    try {
      for await (const change of client().changes({ signal: limit })) {
        if (change.event === "changed") seen.push(...change.tasks.toReversed());
        if (output === "json") continue;
        for (const task of seen.splice(0)) io.out(`${changeLine(task, output)}\n`);
        if (change.event === "changed" && change.more > 0) io.err(`and ${change.more} more\n`);
      }
    } catch (error) {
      if (limit?.aborted !== true) throw error;
    }
    return { value: output === "json" ? seen : undefined };
  },
};

type ChangedTask = Extract<Change, { event: "changed" }>["tasks"][number];

function changeLine(task: ChangedTask, output: Output): string {
  if (output === "jsonl") return JSON.stringify(task);
  if (output === "id") return task.id;
  return [task.updatedAt, task.id, task.state.padEnd(10), task.workflow].join("  ");
}

function lineOf({ at, step, action, fromState, toState, reason, source }: HistoryEntry): string {
  const move = fromState === null ? toState : `${fromState} → ${toState}`;
  const why = [reason ?? "", saidBy(source)].filter((part) => part !== "").join(", ");
  return [at, (step ?? "").padEnd(20), action.padEnd(10), move, why].join("  ").trimEnd();
}
