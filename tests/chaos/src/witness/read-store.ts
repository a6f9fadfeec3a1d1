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

/** A column as milliseconds since 1970. */
const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

/**
 * The last rows of the store before a round, by their numbers: its clock may be set back during
 * one.
 */
export interface StoreMark {
  /** The instant by the clock of this machine. */
  readonly at: Moment;
  readonly events: number;
  readonly rejectedReplies: number;
  readonly deadLetters: number;
  readonly alerts: number;
}

type Asking = Pick<Environment, "query">;

const last = (table: string): string => `(select coalesce(max(id), 0)::float8 from state.${table})`;

export async function confirmStore({ query }: Asking): Promise<StoreMark> {
  const [mark] = await query<Omit<StoreMark, "at">>(
    `select ${last("events")} as events, ${last("rejected_replies")} as "rejectedReplies",
            ${last("dead_letters")} as "deadLetters", ${last("alerts")} as alerts`,
  );
  return { at: Date.now(), ...mark! };
}

/**
 * A task whose time is none of the round: the store's clock was set. So it may have begun at any
 * moment of the round, and have ended at any.
 */
function withinRound(task: TaskRow, from: Moment): TaskRow {
  const until = Date.now();
  const isKnown = (at: Moment): boolean => at >= from && at <= until;
  const { createdAt, finishedAt } = task;
  return {
    ...task,
    createdAt: isKnown(createdAt) ? createdAt : from,
    finishedAt: finishedAt === null || isKnown(finishedAt) ? finishedAt : until,
  };
}

/** Everything that the store says of the orders that it has taken since. */
export async function readStore({ query }: Asking, since: StoreMark): Promise<FromStore> {
  const submitted = `select task_id from state.events where action = 'submit' and id > ${since.events}`;
  const ofTask = `task_id in (${submitted})`;
  return {
    tasks: (
      await query<TaskRow>(
        `select t.task_id::text as "taskId", s.idempotency_key as key, t.goal,
              t.process_state as state, ${ms("t.created_at")} as "createdAt",
              ${ms("t.finished_at")} as "finishedAt"
         from state.tasks t
         left join state.submissions s on s.task_id = t.task_id
        where t.${ofTask}`,
      )
    ).map((task) => withinRound(task, since.at)),
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
        where id > ${since.rejectedReplies}`,
    ),
    deadLetters: await query<DeadLetter>(
      `select queue, message_id as "messageId" from state.dead_letters
        where id > ${since.deadLetters}`,
    ),
    alerts: await query<Alert>(
      `select task_id::text as "taskId", ${ms("at")} as at
         from state.alerts where kind = 'task.halted' and id > ${since.alerts}`,
    ),
  };
}
