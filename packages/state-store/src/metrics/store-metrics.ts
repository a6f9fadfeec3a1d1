import type { MetricDefinitions } from "@holdfast/runtime";

const agent = { most: 500 };
const workflow = { most: 500 };

/** What every service with access to the state store says of it. */
export const storeMetrics = {
  statement: {
    kind: "histogram",
    name: "db_client_operation_duration_seconds",
    help: "Time from sending a statement to Postgres until its answer, by the name of its file in packages/state-store/sql.",
    labels: { db_query_summary: { most: 250 } },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 10],
  },
  failedStatement: {
    kind: "counter",
    name: "holdfast_store_failed_statements_total",
    help: "Statements that Postgres refused, or whose answer was lost.",
    labels: { db_query_summary: { most: 250 } },
  },
  connections: {
    kind: "gauge",
    name: "db_client_connection_count",
    help: "Connections of the pool, by what they do.",
    labels: { db_client_connection_state: ["idle", "used"] },
  },
  maxConnections: {
    kind: "gauge",
    name: "db_client_connection_max",
    help: "Connections that the pool may open: `STATE_STORE_CONNECTIONS`.",
  },
  pendingRequests: {
    kind: "gauge",
    name: "db_client_connection_pending_requests",
    help: "Callers that wait for a connection of the pool.",
  },
  submitted: {
    kind: "counter",
    name: "holdfast_tasks_submitted_total",
    help: "Tasks that this process committed to the state store.",
    labels: { workflow },
  },
  submissionBatch: {
    kind: "histogram",
    name: "holdfast_submission_batch_tasks",
    help: "Tasks in one transaction of submission.",
    buckets: [1, 2, 5, 10, 20, 50, 100, 200],
  },
  ended: {
    kind: "counter",
    name: "holdfast_tasks_ended_total",
    help: "Tasks that ended by a decision of this process: processed, undone (their undo is finished), or halted: a person must act.",
    labels: { workflow, state: ["processed", "undone", "halted"] },
  },
  undo: {
    kind: "counter",
    name: "holdfast_undos_started_total",
    help: "Tasks that this process turned to their undo.",
    labels: { workflow },
  },
  moved: {
    kind: "counter",
    name: "holdfast_step_moves_total",
    help: "Decisions of this process about attempts of steps, by the name that the history has for them: `retry` counts a failure, `coolDown` a longer delay, `requeue` no failure.",
    labels: { agent, action: ["complete", "retry", "coolDown", "requeue", "fail", "resubmit"] },
  },
  deadLetters: {
    kind: "counter",
    name: "holdfast_dead_letters_stored_total",
    help: "Messages that this process could not read or handle and stored in `state.dead_letters`.",
    labels: { messaging_destination_name: { most: 30 } },
  },
} as const satisfies MetricDefinitions;
