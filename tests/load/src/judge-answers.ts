import { Client } from "pg";
import type { Pushed } from "./push-orders.ts";

/** What must be zero, whatever the load. */
export interface AnswerVerdict {
  /** Orders that were answered 202 and are not in the store. */
  readonly missing: number;
  /** Orders that were answered 503 and are in the store. */
  readonly refusedButWritten: number;
  /** Tasks beyond one for each order that was accepted, or had no answer in time. */
  readonly surplus: number;
}

/** Compares what was answered with what is in the store, in which nothing else was submitted. */
export async function judgeAnswers(
  databaseUrl: string,
  pushed: readonly Pick<Pushed, "accepted" | "refused" | "unanswered">[],
): Promise<AnswerVerdict> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const accepted = pushed.flatMap((one) => one.accepted);
    const { rows } = await client.query<Written>(counts, [
      accepted,
      pushed.flatMap((one) => one.refused),
      pushed.flatMap((one) => one.unanswered),
    ]);
    const { tasks, ...written } = rows[0]!;
    return {
      missing: accepted.length - written.accepted,
      refusedButWritten: written.refused,
      surplus: tasks - written.accepted - written.unanswered,
    };
  } finally {
    await client.end();
  }
}

interface Written {
  readonly tasks: number;
  readonly accepted: number;
  readonly refused: number;
  readonly unanswered: number;
}

/** Counts in one statement: what had no answer may be on its way into the store still. */
const counts = `
  with written as (
    select task_id,
           idempotency_key = any($1::text[]) as accepted,
           idempotency_key = any($2::text[]) as refused,
           idempotency_key = any($3::text[]) as unanswered
      from state.submissions
  )
  select (select count(*)::int from state.tasks) as tasks,
         count(distinct task_id) filter (where accepted)::int as accepted,
         count(*) filter (where refused)::int as refused,
         count(*) filter (where unanswered)::int as unanswered
    from written`;
