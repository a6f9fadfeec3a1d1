import { queryOnce } from "@holdfast/local-stack";
import { endOf, fulfilOrder } from "@holdfast/orders";
import type { StreamedOrder } from "./order-stream.ts";

/** What the store says of an order that was asked for with a key. */
interface StoredOrder {
  readonly key: string;
  readonly taskId: string;
  readonly state: string;
  /** Milliseconds from its acceptance to its end; null: it has not ended. */
  readonly tookMs: number | null;
}

export interface StreamVerdict {
  /** Orders that were accepted, but are not there or ended otherwise than they must. */
  readonly wrong: readonly string[];
  /** Milliseconds in which 99 % of the orders ended. */
  readonly p99Ms: number;
}

/** What became of the orders whose keys begin with the name of the run. */
export async function judgeStream(
  url: string,
  run: string,
  accepted: readonly StreamedOrder[],
): Promise<StreamVerdict> {
  const rows = await queryOnce<StoredOrder>(
    url,
    `select s.idempotency_key as key, t.task_id::text as "taskId", t.process_state as state,
            (extract(epoch from t.finished_at - t.created_at) * 1000)::float8 as "tookMs"
       from state.submissions s join state.tasks t using (task_id)
      where s.idempotency_key like '${run}-%'`,
  );
  const stored = new Map(rows.map((row) => [row.key, row]));
  const wrong = accepted
    .filter(({ key }) => key.startsWith(`${run}-`))
    .flatMap(({ key, kind, taskId }) => {
      const found = stored.get(key);
      if (found === undefined) return [`${key} was accepted, and is not in the store`];
      if (taskId !== null && taskId !== found.taskId) return [`${key} was accepted as ${taskId}`];
      const isRight = found.tookMs === null || found.state === endOf(kind);
      return isRight ? [] : [`${key} is ${kind}, and ended ${found.state}`];
    });
  return { wrong, p99Ms: p99Of(rows.flatMap(({ tookMs }) => tookMs ?? [])) };
}

function p99Of(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.max(0, Math.ceil(0.99 * sorted.length) - 1)] ?? 0);
}

/** The orders of the shop, whoever submitted them. */
export async function shopOrders(url: string): Promise<readonly string[]> {
  const rows = await queryOnce<{ id: string }>(
    url,
    `select task_id::text as id from state.tasks where workflow = '${fulfilOrder.name}'`,
  );
  return rows.map(({ id }) => id);
}

/** How many tasks have not ended; one that waits for an operator counts as ended. */
export function openTasks(url: string): Promise<number> {
  return countOf(url, "tasks where process_state not in ('processed', 'compensated', 'error')");
}

export async function countOf(url: string, what: string): Promise<number> {
  const rows = await queryOnce<{ count: number }>(
    url,
    `select count(*)::integer as count from state.${what}`,
  );
  return rows[0]?.count ?? 0;
}
