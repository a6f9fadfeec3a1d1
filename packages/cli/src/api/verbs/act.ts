import { type ActOptions, type HoldfastClient, ProblemError, type Task } from "@holdfast/client";
import { exitCodes } from "../../exit-codes.ts";
import { filterOf, filterOptions } from "../filters.ts";
import { UsageError } from "../usage-error.ts";
import { jsonOf, required } from "../values.ts";
import type { Invocation, OptionSpec, Outcome, Verb } from "../verb.ts";

const reason: OptionSpec = {
  type: "string",
  short: "r",
  value: "WORDS",
  help: "why: kept in the history",
};
const dryRun: OptionSpec = { type: "boolean", help: "only say what would be changed" };

type Act = (tasks: HoldfastClient["tasks"], id: string, how: ActOptions) => Promise<Task>;

/** Acts on tasks by their ids, or on all that match a filter. */
const actVerb = (name: string, summary: string, act: Act): Verb => ({
  name: `tasks ${name}`,
  operands: ["[id...]"],
  summary,
  options: {
    ...filterOptions,
    reason,
    "dry-run": dryRun,
    yes: { type: "boolean", short: "y", help: "change all that match a filter" },
  },
  async run(invocation) {
    const ids = await idsOf(invocation);
    const how = { reason: required(invocation, "reason"), actor: invocation.actor };
    const isMany = invocation.operands.length === 0;
    if (invocation.flag("dry-run")) {
      const note = `Would ${name} ${ids.length} ${ids.length === 1 ? "task" : "tasks"}.`;
      const value = { dryRun: true, count: ids.length, ids };
      return { value, items: ids.map((id) => ({ id })), columns: ["id"], note };
    }
    if (isMany && !invocation.flag("yes")) {
      throw new UsageError(
        `${ids.length} tasks match. Say --yes to ${name} them, or --dry-run to see which; holdfast bulk create ${name} has the Supervisors do it`,
      );
    }
    const { tasks } = invocation.client();
    if (!isMany && ids.length === 1) return ofTask(await act(tasks, ids[0] ?? "", how));
    return ofMany(await actOnAll(ids, { invocation, act: (id) => act(tasks, id, how) }));
  },
});

async function idsOf(invocation: Invocation): Promise<readonly string[]> {
  const filter = filterOf(invocation);
  if (invocation.operands.length > 0) {
    if (filter !== null)
      throw new UsageError("Name tasks by their ids or by a filter, not by both");
    return [...new Set(invocation.operands)];
  }
  if (filter === null) {
    throw new UsageError("Say which tasks: their ids, or a filter such as --workflow or --label");
  }
  const ids: string[] = [];
  const { tasks } = invocation.client();
  for await (const { id } of tasks.all({ state: "open", ...filter })) ids.push(id);
  return ids;
}

interface Done {
  readonly id: string;
  readonly ok: boolean;
  readonly state: string | null;
  readonly code: string | null;
}

/** So many at a time. */
const atATime = 8;

async function actOnAll(
  ids: readonly string[],
  {
    invocation,
    act,
  }: { readonly invocation: Invocation; readonly act: (id: string) => Promise<Task> },
): Promise<readonly Done[]> {
  const { io } = invocation;
  const done: Done[] = [];
  const left = [...ids];
  const work = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      done.push(await actOnOne(id, act));
      if (io.isTerminal) io.err(`\r${done.length} of ${ids.length}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, ids.length) }, work));
  if (io.isTerminal && ids.length > 0) io.err("\r\u001b[K");
  return done;
}

async function actOnOne(id: string, act: (id: string) => Promise<Task>): Promise<Done> {
  try {
    return { id, ok: true, state: (await act(id)).state, code: null };
  } catch (error) {
    // Another one than this task may do.
    const isOfTask = error instanceof ProblemError && [404, 409, 412].includes(error.status);
    if (!isOfTask) throw error;
    return { id, ok: false, state: null, code: error.code };
  }
}

function ofMany(items: readonly Done[]): Outcome {
  const refused = items.filter(({ ok }) => !ok).length;
  const changed = items.length - refused;
  return {
    value: { count: items.length, changed, refused, items },
    items,
    columns: ["id", "ok", "state", "code"],
    note: `${changed} of ${items.length} changed, ${refused} refused.`,
    exitCode: refused > 0 ? exitCodes.refused : exitCodes.ok,
  };
}

const ofTask = (task: Task): Outcome => ({
  value: task,
  text: `${task.id} ${task.state}${task.paused === null ? "" : " (paused)"}`,
});

const step: OptionSpec = { type: "string", value: "NAME", help: "which step, if several failed" };

/** Repairs one task: a step that failed for good. */
const repairVerb = (
  name: "resubmit" | "resolve",
  summary: string,
  json: "input" | "result",
): Verb => ({
  name: `tasks ${name}`,
  operands: ["<id>"],
  summary,
  options: {
    reason,
    step,
    [json]: {
      type: "string",
      value: "JSON",
      help:
        json === "input"
          ? "another input; @file or - too"
          : "what the step returned; @file or - too",
    },
    "dry-run": dryRun,
  },
  async run(invocation) {
    const { operands, io, text } = invocation;
    const [id = ""] = operands;
    const given = text(json);
    const named = text("step");
    const how = {
      reason: required(invocation, "reason"),
      actor: invocation.actor,
      ...(named === undefined ? {} : { step: named }),
      ...(given === undefined
        ? {}
        : { [json === "input" ? "input" : "output"]: await jsonOf(given, `--${json}`, io) }),
    };
    const { tasks } = invocation.client();
    if (invocation.flag("dry-run")) {
      const { state, steps } = await tasks.get(id);
      const failed = steps.filter((one) => one.processState === "error").map((one) => one.name);
      const value = { dryRun: true, id, state, failed, ...how };
      return { value, text: `Would ${name} ${named ?? failed.join(", ")} of ${id}.` };
    }
    return ofTask(await tasks[name](id, how));
  },
});

export const actVerbs: readonly Verb[] = [
  actVerb("cancel", "undo tasks that are not wanted any more", (tasks, id, how) =>
    tasks.cancel(id, how),
  ),
  actVerb("undo", "undo tasks", (tasks, id, how) => tasks.undo(id, how)),
  actVerb("pause", "begin no further step of tasks", (tasks, id, how) => tasks.pause(id, how)),
  actVerb("resume", "end the pause of tasks", (tasks, id, how) => tasks.resume(id, how)),
  repairVerb("resubmit", "retry a step that failed for good", "input"),
  repairVerb("resolve", "record what a person did instead of a failed step", "result"),
];
