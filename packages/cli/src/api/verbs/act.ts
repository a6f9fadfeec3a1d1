import { type ActOptions, type HoldfastClient, ProblemError, type Task } from "@holdfast/client";
import { exitCodes } from "../../exit-codes.ts";
import { actOptions, readAct } from "../act-options.ts";
import { filterOf, filterOptions } from "../filters.ts";
import { own } from "../own-options.ts";
import { UsageError } from "../usage-error.ts";
import type { Invocation, Outcome, Verb } from "../verb.ts";

type Act = (tasks: HoldfastClient["tasks"], id: string, how: ActOptions) => Promise<Task>;

/** Acts on tasks by their ids, or on all that match a filter. */
const actVerb = (name: "cancel" | "pause" | "resume", summary: string, act: Act): Verb => ({
  name: `tasks ${name}`,
  operations: [`${name}Task`, "getTask", "listTasks"],
  operands: ["[id...]"],
  summary,
  options: { ...filterOptions, ...actOptions, ...own("dry-run", "yes") },
  examples: [
    `tasks ${name} 01a1fd8d-d928-77c8-96cb-353aaba1757f --reason "a customer called"`,
    `tasks ${name} --label city=Lyon --reason "the hotel burned down" --dry-run`,
  ],
  async run(invocation) {
    const how = await readAct(invocation);
    const ids = await idsOf(invocation);
    const isMany = invocation.operands.length === 0;
    if (invocation.flag("dry-run"))
      return isMany ? would(name, ids, []) : forecast(invocation, { name, ids });
    if (isMany && !invocation.flag("yes") && !(await isAgreed(invocation, name, ids.length))) {
      const value = { count: ids.length, changed: 0, refused: 0, items: [] };
      return { value, items: [], note: "Nothing was changed.", exitCode: exitCodes.failed };
    }
    const { tasks } = invocation.client();
    if (!isMany && ids.length === 1) return ofTask(await act(tasks, ids[0] ?? "", how));
    return ofMany(await actOnAll(ids, { invocation, act: (id) => act(tasks, id, how) }));
  },
});

interface Refused {
  readonly id: string;
  readonly code: string;
}

/** What would be done. It fails where that would. */
function would(name: string, ids: readonly string[], refused: readonly Refused[]): Outcome {
  const count = ids.length - refused.length;
  const codes = new Map(refused.map(({ id, code }) => [id, code]));
  const items = ids.map((id) => ({ id, refused: codes.get(id) ?? null }));
  const but = refused.length === 0 ? "" : `, and ${refused.length} refused`;
  return {
    value: { dryRun: true, count, ids, refused },
    items,
    columns: refused.length === 0 ? ["id"] : ["id", "refused"],
    note: `Would ${name} ${count} ${count === 1 ? "task" : "tasks"}${but}.`,
    exitCode: refused.length === 0 ? exitCodes.ok : exitCodes.refused,
  };
}

/** Looks at each task that was named. Those that a filter finds are open. */
async function forecast(
  { client }: Invocation,
  { name, ids }: { readonly name: string; readonly ids: readonly string[] },
): Promise<Outcome> {
  const { tasks } = client();
  const refused: Refused[] = [];
  for (const id of ids) {
    try {
      const code = whyNot(name, await tasks.get(id));
      if (code !== null) refused.push({ id, code });
    } catch (error) {
      const isUnknown = error instanceof ProblemError && error.status === 404;
      if (!isUnknown || ids.length === 1) throw error;
      refused.push({ id, code: error.code });
    }
  }
  return would(name, ids, refused);
}

/**
 * Returns the code with which the service would refuse it, as the task stands; null: it would not.
 */
function whyNot(name: string, { state, paused }: Pick<Task, "state" | "paused">): string | null {
  if (state === "processed" || state === "undone") return "task.finished";
  if (name === "pause" && paused !== null) return "task.already_paused";
  return name === "resume" && paused === null ? "task.not_paused" : null;
}

/** Whether the person at the terminal agrees. Throws a `UsageError` where no person is. */
async function isAgreed(
  { io: { ask }, output }: Invocation,
  act: string,
  count: number,
): Promise<boolean> {
  if (ask === null || output !== "table") {
    throw new UsageError(
      `${count} tasks match. Say --yes to ${act} them, or --dry-run to see which; holdfast bulk create ${act} has the Supervisors do it`,
    );
  }
  const tasks = count === 1 ? "task" : "tasks";
  const answer = await ask(`${act[0]?.toUpperCase()}${act.slice(1)} ${count} ${tasks}? [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}

async function idsOf(invocation: Invocation): Promise<readonly string[]> {
  const filter = await filterOf(invocation);
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

/** Tasks that are acted on at a time. */
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

export const ofTask = (task: Task): Outcome => ({
  value: task,
  text: `${task.id} ${task.state}${task.paused === null ? "" : " (paused)"}`,
});

export const actVerbs: readonly Verb[] = [
  actVerb("cancel", "undo what tasks began, and begin nothing more of them", (tasks, id, how) =>
    tasks.cancel(id, how),
  ),
  actVerb("pause", "begin no further step of tasks", (tasks, id, how) => tasks.pause(id, how)),
  actVerb("resume", "end the pause of tasks", (tasks, id, how) => tasks.resume(id, how)),
];
