import type { HoldfastClient, ListedTask, ListFilter } from "@holdfast/client";
import { z } from "zod";
import { callOperation } from "../api/call-operation.ts";
import { defineTool, type Tool } from "./tool.ts";
import { given, meantBy, toolDescription, toolInput } from "./tool-input.ts";

const filter = toolInput(
  "listTasks",
  "workflow",
  "state",
  "priority",
  "key",
  "faultCode",
  "correlationId",
  "awaiting",
  "fingerprint",
  "text",
  "createdFrom",
  "createdBefore",
);

/** Tasks that are read to count: with more, the count says at least how many. */
const mostRead = 2_000;

/** Reads tasks until all are read, or too many. */
async function readAll(
  { tasks }: HoldfastClient,
  query: ListFilter,
): Promise<{ readonly tasks: readonly ListedTask[]; readonly isAll: boolean }> {
  const found: ListedTask[] = [];
  for await (const task of tasks.all(query)) {
    if (found.length === mostRead) return { tasks: found, isAll: false };
    found.push(task);
  }
  return { tasks: found, isAll: true };
}

const getTask = defineTool({
  name: "get_task",
  title: "Show a task",
  description: toolDescription("getTask", "With history: every move, with actor, time and reason."),
  operations: ["getTask", "getHistory"],
  input: { ...toolInput("getTask", "id"), history: meantBy("boolean", z.boolean().default(false)) },
  writes: false,
  async run({ id = "", history }, { tasks }) {
    const task = await tasks.get(id);
    return history ? { ...task, history: await tasks.history(id) } : task;
  },
});

const listTasks = defineTool({
  name: "list_tasks",
  title: "List tasks",
  description: toolDescription(
    "listTasks",
    "`next` of an answer is the `after` of the next page; null: there is none.",
  ),
  operations: ["listTasks"],
  input: { ...filter, ...toolInput("listTasks", "limit", "after") },
  writes: false,
  run: ({ limit = 20, after = null, ...query }, { tasks }) =>
    tasks.list(given(query), { limit, after }),
});

const countTasks = defineTool({
  name: "count_tasks",
  title: "Count tasks",
  description: "How many tasks match, by workflow and state.",
  operations: ["listTasks"],
  input: filter,
  writes: false,
  async run(query, client) {
    const { tasks, isAll } = await readAll(client, given(query));
    const groups = Map.groupBy(tasks, ({ workflow, state }) => `${workflow} ${state}`);
    const counts = [...groups].map(([key, members]) => {
      const [workflow, state] = key.split(" ");
      return { workflow, state, tasks: members.length };
    });
    return { tasks: tasks.length, isExact: isAll, counts };
  },
});

const why = defineTool({
  name: "why",
  title: "Say why a task is where it is",
  description:
    "One sentence: what a task waits for, who acts next and until when, or how it ended. Use it first when a task does not move.",
  operations: ["explainTask"],
  input: toolInput("explainTask", "id"),
  writes: false,
  run: ({ id = "" }, client) => callOperation(client, "explainTask", { id }),
});

const listApprovals = defineTool({
  name: "list_approvals",
  title: "List what waits for people to decide",
  description: toolDescription(
    "listApprovals",
    "They are for people to decide, in the console or by `holdfast approvals decide`: no tool approves or rejects, also not with `--allow-writes`. Say what is asked, and leave the decision to them. `next` of an answer is the `after` of the next page; null: there is none.",
  ),
  operations: ["listApprovals"],
  input: toolInput("listApprovals", "audience", "mine", "limit", "after"),
  writes: false,
  run: (asked, client) => callOperation(client, "listApprovals", given(asked)),
});

const shownTasks = 5;

const listFailures = defineTool({
  name: "list_failures",
  title: "List failures",
  description:
    "Tasks that halted and wait for an operator, grouped by workflow and fault code, the largest group first, with some task ids of each. Ask explain_error about the codes.",
  operations: ["listTasks"],
  input: toolInput("listTasks", "workflow", "createdFrom"),
  writes: false,
  async run(query, client) {
    const { tasks, isAll } = await readAll(client, { ...given(query), state: "halted" });
    const groups = Map.groupBy(tasks, ({ workflow, faultCode }) => `${workflow} ${faultCode}`);
    const failures = [...groups.values()].map((members) => ({
      workflow: members[0]?.workflow,
      faultCode: members[0]?.faultCode,
      tasks: members.length,
      newest: members[0]?.createdAt,
      ids: members.slice(0, shownTasks).map(({ id }) => id),
    }));
    return {
      tasks: tasks.length,
      isExact: isAll,
      failures: failures.toSorted((one, other) => other.tasks - one.tasks),
    };
  },
});

export const taskTools: readonly Tool[] = [
  getTask,
  listTasks,
  countTasks,
  why,
  listFailures,
  listApprovals,
];
