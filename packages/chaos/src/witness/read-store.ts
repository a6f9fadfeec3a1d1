import type {
  Alert,
  DeadLetter,
  Evidence,
  RejectedReply,
  StepRow,
  StoreEvent,
  TaskRow,
} from "../checker/evidence.ts";
import type { Rig } from "../system/start-rig.ts";

type FromStore = Pick<
  Evidence,
  "tasks" | "steps" | "events" | "rejectedReplies" | "deadLetters" | "alerts"
>;

/** As milliseconds since 1970. */
const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

/** Everything that the store says of all orders. */
export async function readStore({ query }: Pick<Rig, "query">): Promise<FromStore> {
  return {
    tasks: await query<TaskRow>(
      `select t.task_id::text as "taskId", s.idempotency_key as key, t.goal,
              t.process_state as state, ${ms("t.created_at")} as "createdAt",
              ${ms("t.finished_at")} as "finishedAt"
         from state.tasks t
         left join state.submissions s on s.task_id = t.task_id`,
    ),
    steps: await query<StepRow>(
      `select s.task_id::text as "taskId", s.name, s.kind, s.process_state as state, s.attempt,
              s.failure_count as "failureCount", p.output
         from state.steps s
         left join state.step_payloads p on p.task_id = s.task_id and p.name = s.name`,
    ),
    events: await query<StoreEvent>(
      `select id::float8 as id, task_id::text as "taskId", step, action, from_state as "from",
              to_state as "to", attempt, actor, reason, ${ms("at")} as at
         from state.events`,
    ),
    rejectedReplies: await query<RejectedReply>(
      `select task_id::text as "taskId", step, attempt, reason from state.rejected_replies`,
    ),
    deadLetters: await query<DeadLetter>(
      `select queue, message_id as "messageId" from state.dead_letters`,
    ),
    alerts: await query<Alert>(
      `select task_id::text as "taskId", ${ms("at")} as at
         from state.alerts where kind = 'task.halted'`,
    ),
  };
}
