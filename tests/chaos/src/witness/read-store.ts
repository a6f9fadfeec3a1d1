import type {
  Alert,
  DeadLetter,
  Evidence,
  Moment,
  RejectedReply,
  StepRow,
  StoreEvent,
  TaskRow,
} from "../checker/evidence.ts";
import type { Environment } from "../system/start-environment.ts";

type FromStore = Pick<
  Evidence,
  "tasks" | "steps" | "events" | "rejectedReplies" | "deadLetters" | "alerts"
>;

/** As milliseconds since 1970. */
const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

/** Everything that the store says of the orders that it has taken since then. */
export async function readStore(
  { query }: Pick<Environment, "query">,
  since: Moment,
): Promise<FromStore> {
  const then = `to_timestamp(${since / 1_000})`;
  const ofTask = `task_id in (select task_id from state.tasks where created_at >= ${then})`;
  return {
    tasks: await query<TaskRow>(
      `select t.task_id::text as "taskId", s.idempotency_key as key, t.goal,
              t.process_state as state, ${ms("t.created_at")} as "createdAt",
              ${ms("t.finished_at")} as "finishedAt"
         from state.tasks t
         left join state.submissions s on s.task_id = t.task_id
        where t.created_at >= ${then}`,
    ),
    steps: await query<StepRow>(
      `select s.task_id::text as "taskId", s.name, s.kind, s.process_state as state, s.attempt,
              s.failure_count as "failureCount", p.output
         from state.steps s
         left join state.step_payloads p on p.task_id = s.task_id and p.name = s.name
        where s.${ofTask}`,
    ),
    events: await query<StoreEvent>(
      `select id::float8 as id, task_id::text as "taskId", step, action, from_state as "from",
              to_state as "to", attempt, actor, reason, ${ms("at")} as at
         from state.events where ${ofTask}`,
    ),
    rejectedReplies: await query<RejectedReply>(
      `select task_id::text as "taskId", step, attempt, reason from state.rejected_replies
        where at >= ${then}`,
    ),
    deadLetters: await query<DeadLetter>(
      `select queue, message_id as "messageId" from state.dead_letters
        where at >= ${then}`,
    ),
    alerts: await query<Alert>(
      `select task_id::text as "taskId", ${ms("at")} as at
         from state.alerts where kind = 'task.halted' and at >= ${then}`,
    ),
  };
}
