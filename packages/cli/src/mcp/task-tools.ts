import { taskStates } from "@holdfast/domain";
import { z } from "zod";
import type { Api } from "./api.ts";
import { explainTask } from "./explain-task.ts";
import type { ListedTaskResource, PageOf } from "./resources.ts";
import { defineTool, TaskId, type Tool } from "./tool.ts";

const Filter = {
  workflow: z.string().optional().describe("With its version, or without: all versions."),
  state: z.enum(taskStates).optional().describe("error: it halted and waits for an operator."),
  faultCode: z.string().optional(),
  correlationId: z.string().optional(),
  createdFrom: z.string().optional().describe("ISO 8601."),
  createdBefore: z.string().optional().describe("ISO 8601."),
};

/** Pages that are read to count: with more, the count says at least how many. */
const mostPages = 20;
const pageSize = 100;

/** Reads tasks until all are read, or too many. */
async function readAll(
  api: Api,
  filter: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly tasks: readonly ListedTaskResource[]; readonly isAll: boolean }> {
  const tasks: ListedTaskResource[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const query = { ...filter, limit: pageSize, cursor };
    const { items, next } = await api.get<PageOf<ListedTaskResource>>("/v1/tasks", query);
    tasks.push(...items);
    if (next === null || next === undefined) return { tasks, isAll: true };
    cursor = next;
  }
  return { tasks, isAll: false };
}

const getTask = defineTool({
  name: "get_task",
  title: "Show a task",
  description:
    "The state of one task, its result and its steps with attempts, faults and progress. With history: every move, with actor, time and reason.",
  input: { id: TaskId, history: z.boolean().default(false) },
  writes: false,
  async run({ id, history }, api) {
    const path = `/v1/tasks/${encodeURIComponent(id)}`;
    const task = await api.get<object>(path);
    if (!history) return task;
    return { ...task, history: (await api.get<PageOf<unknown>>(`${path}/history`)).items };
  },
});

const listTasks = defineTool({
  name: "list_tasks",
  title: "List tasks",
  description:
    "Tasks that match, newest first, a page at a time. `next` of an answer is the cursor of the next page.",
  input: {
    ...Filter,
    limit: z.int().min(1).max(100).default(20),
    cursor: z.string().optional(),
  },
  writes: false,
  run: (input, api) => api.get("/v1/tasks", input),
});

const countTasks = defineTool({
  name: "count_tasks",
  title: "Count tasks",
  description: "How many tasks match, by workflow and state.",
  input: Filter,
  writes: false,
  async run(input, api) {
    const { tasks, isAll } = await readAll(api, input);
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
  input: { id: TaskId },
  writes: false,
  async run({ id }, api) {
    const { task, sentence, evidence } = await explainTask(api, id);
    const { workflow, state } = task;
    return { id, workflow, state, sentence, evidence };
  },
});

const shownTasks = 5;

const listFailures = defineTool({
  name: "list_failures",
  title: "List failures",
  description:
    "Tasks that halted and wait for an operator, grouped by workflow and fault code, the largest group first, with some task ids of each. Ask explain_error about the codes.",
  input: { workflow: Filter.workflow, createdFrom: Filter.createdFrom },
  writes: false,
  async run(input, api) {
    const { tasks, isAll } = await readAll(api, { ...input, state: "error" });
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

export const taskTools: readonly Tool[] = [getTask, listTasks, countTasks, why, listFailures];
