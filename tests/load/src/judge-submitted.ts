import { queryOnce } from "@holdfast/local-stack";
import { endOf } from "@holdfast/orders";
import type { SubmittedOrder } from "./submit-orders.ts";

/** What the store has of an order that was submitted with a key. */
interface StoredOrder {
  readonly key: string;
  readonly taskId: string;
  readonly state: string;
  /** Milliseconds since the first order of the run was accepted. */
  readonly afterMs: number;
  /** Milliseconds from its acceptance to its end; null: it has not ended. */
  readonly tookMs: number | null;
}

export interface SubmittedVerdict {
  /** Orders that were accepted, but are not stored or ended otherwise than their kind demands. */
  readonly wrong: readonly string[];
  /** Milliseconds that each order took which was accepted after the warm-up and has ended. */
  readonly times: readonly number[];
}

/**
 * What became of the accepted orders whose keys begin with the name of the run. `warmUp`: for how
 * many milliseconds the orders are not timed, because the services still compile and connect.
 */
export async function judgeSubmitted(
  url: string,
  run: string,
  accepted: readonly SubmittedOrder[],
  { warmUp = 0 }: { readonly warmUp?: number } = {},
): Promise<SubmittedVerdict> {
  const rows = await queryOnce<StoredOrder>(
    url,
    `select s.idempotency_key as key, t.task_id::text as "taskId", t.process_state as state,
            (extract(epoch from t.created_at - min(t.created_at) over ()) * 1000)::float8 as "afterMs",
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
  const timed = rows.filter(({ afterMs }) => afterMs >= warmUp);
  return { wrong, times: timed.flatMap(({ tookMs }) => tookMs ?? []) };
}
