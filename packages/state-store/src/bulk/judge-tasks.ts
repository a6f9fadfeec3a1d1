import type { ReportedTaskEvent } from "@holdfast/domain";
import type { Pool } from "pg";
import { decideLoaded } from "../apply/apply-together.ts";
import { readTasks } from "../apply/load-tasks.ts";
import { readValues } from "../apply/load-values.ts";
import { composed } from "../postgres/operation.ts";
import { withRetries } from "../postgres/transaction.ts";
import type { TaskFilter } from "../read/list-tasks.ts";
import type { StoreContext } from "../store-context.ts";
import { type ChosenTask, chooseTasks } from "./choose-items.ts";
import type { BulkAsked } from "./create-bulk-operation.ts";
import { itemRefusalOf, reportedRequestsOf } from "./request-of.ts";

/** What an operation would do. */
export interface BulkForecast {
  readonly matches: number;
  /** Tasks that it would be applied to, if they stay as they are. */
  readonly allowed: number;
  /** Why it would not be applied to others, most frequent first. */
  readonly refused: readonly { readonly reason: string; readonly count: number }[];
  /** Some of those that it would be applied to. */
  readonly sample: readonly string[];
}

/** Tasks that are read at a time. */
const batch = 200;
const sampled = 10;

/**
 * Judges which of the tasks that match an action could be applied to now. Null: there are more than
 * an operation may have. Changes nothing. Safe to repeat.
 */
export const forecastBulkOperation = composed(
  async (
    context,
    { tasks, asked }: { readonly tasks: TaskFilter; readonly asked: BulkAsked },
  ): Promise<BulkForecast | null> => {
    const chosen = await chooseTasks(context, tasks);
    return chosen === null ? null : judgeTasks(context, chosen, asked);
  },
);

/** Judges tasks as they stand now, by the rules by which an operation is applied to them. */
async function judgeTasks(
  context: StoreContext,
  tasks: readonly ChosenTask[],
  asked: BulkAsked,
): Promise<BulkForecast> {
  const refused = new Map<string, number>();
  const sample: string[] = [];
  let allowed = 0;
  for (let from = 0; from < tasks.length; from += batch) {
    const taskIds = tasks.slice(from, from + batch).map(({ taskId }) => taskId);
    const judged = await withRetries(() => judgeSome(context, context.pool, { taskIds, asked }));
    for (const taskId of taskIds) {
      const refusal = judged.get(taskId);
      if (refusal !== null) {
        const reason = refusal ?? "task.unknown";
        refused.set(reason, (refused.get(reason) ?? 0) + 1);
        continue;
      }
      allowed += 1;
      if (sample.length < sampled) sample.push(taskId);
    }
  }
  return {
    matches: tasks.length,
    allowed,
    refused: [...refused]
      .map(([reason, count]) => ({ reason, count }))
      .toSorted((a, b) => b.count - a.count),
    sample,
  };
}

/**
 * The reason why each task would be refused; null: it would not be. A task that is gone is missing.
 */
async function judgeSome(
  context: StoreContext,
  db: Pool,
  { taskIds, asked }: { readonly taskIds: readonly string[]; readonly asked: BulkAsked },
): Promise<ReadonlyMap<string, string | null>> {
  const { catalog, partitions } = context;
  const loaded = await readTasks(db, taskIds, {
    findWorkflow: (name) => catalog.find(db, name),
    partitions,
  });
  const judged = new Map<string, string | null>(
    loaded.unusable.map(({ taskId }) => [taskId, "task.not_usable"]),
  );
  const events: ReportedTaskEvent[] = [];
  const tasks = loaded.tasks.map(({ task }) => task);
  const requests = await reportedRequestsOf(tasks, {
    asked,
    now: loaded.now,
    workflowOf: (name) => catalog.find(db, name),
    load: (options) => readValues(db, options),
  });
  for (const [taskId, request] of requests) {
    if ("refusal" in request) judged.set(taskId, request.refusal);
    else events.push(request.reported);
  }
  const { outcomes } = await decideLoaded(context, db, { loaded, reportedEvents: events });
  outcomes.forEach((outcome, index) => {
    judged.set(events[index]!.taskId, outcome.applied ? null : itemRefusalOf(outcome));
  });
  return judged;
}
