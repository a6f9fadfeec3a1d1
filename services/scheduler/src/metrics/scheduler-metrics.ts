import type { MetricDefinitions } from "@holdfast/runtime";

const agent = { most: 500 };

/** What a Scheduler says of itself, and of all instances together. */
export const schedulerMetrics = {
  claimed: {
    kind: "counter",
    name: "holdfast_steps_claimed_total",
    help: "Steps that this Scheduler claimed.",
    labels: { agent },
  },
  claimBatch: {
    kind: "histogram",
    name: "holdfast_claim_batch_steps",
    help: "Steps of one claim that found any.",
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
  },
  replies: {
    kind: "counter",
    name: "holdfast_replies_total",
    help: "Replies that this Scheduler applied, by what they report; `refused` are failures without a call of the remote service.",
    labels: { agent, outcome: ["completed", "transient", "permanent", "refused", "stopped"] },
  },
  faults: {
    kind: "counter",
    name: "holdfast_failed_replies_total",
    help: "Failures among the replies that were applied, by the area of their fault code: one of Holdfast's own, or the name of an Agent.",
    labels: { fault_area: { most: 500 } },
  },
  rejected: {
    kind: "counter",
    name: "holdfast_rejected_replies_total",
    help: "Replies that changed nothing and were kept in `state.rejected_replies`, and unreadable ones.",
    labels: { reason: { most: 60 } },
  },
  resent: {
    kind: "counter",
    name: "holdfast_resent_requests_total",
    help: "Requests that this Scheduler published again, because no confirm of the broker was recorded in time.",
  },
  returned: {
    kind: "counter",
    name: "holdfast_returned_requests_total",
    help: "Requests that died in the queue of an Agent: not taken in time, delivered too often, or unreadable.",
    labels: { agent, reason: ["expired", "delivery_limit", "rejected"] },
  },
  inFlight: {
    kind: "gauge",
    name: "holdfast_agent_in_flight_steps",
    help: "Steps of an Agent that are in flight, of all Schedulers, as this one knows it.",
    labels: { agent },
  },
  ownInFlight: {
    kind: "gauge",
    name: "holdfast_scheduler_in_flight_steps",
    help: "Steps of an Agent that this Scheduler has claimed and that are in flight.",
    labels: { agent },
  },
  limit: {
    kind: "gauge",
    name: "holdfast_agent_in_flight_limit_steps",
    help: "How many steps of an Agent may be in flight, of all Schedulers together.",
    labels: { agent },
  },
  fleetRead: {
    kind: "gauge",
    name: "holdfast_fleet_read_success",
    help: "Whether what follows from Postgres could be read the last time: 1, or 0, and then it is not exposed.",
  },
  dueAge: {
    kind: "gauge",
    name: "holdfast_oldest_due_age_seconds",
    help: "For how long the oldest due step of a lane has waited to be claimed, of the first 300 of each band; 0 if none waits. A lane is an Agent, or a pool of Agents.",
    labels: { lane: { most: 500 } },
  },
  due: {
    kind: "gauge",
    name: "holdfast_due_steps",
    help: "Steps of a lane that wait to be claimed, counted to 300 in each band.",
    labels: { lane: { most: 500 } },
  },
  outboxAge: {
    kind: "gauge",
    name: "holdfast_outbox_oldest_age_seconds",
    help: "Age of the oldest notification in the outbox; 0 if it is empty.",
  },
  outbox: {
    kind: "gauge",
    name: "holdfast_outbox_notifications",
    help: "Notifications in the outbox, counted to 10,000.",
  },
  inboxAge: {
    kind: "gauge",
    name: "holdfast_inbox_oldest_age_seconds",
    help: "Age of the oldest submission or signal in the inbox; 0 if it is empty.",
  },
  inbox: {
    kind: "gauge",
    name: "holdfast_inbox_submissions",
    help: "Submissions that applications enqueued and that are no tasks yet, and signals that no task has yet, each counted to 10,000.",
  },
  deadLetters: {
    kind: "gauge",
    name: "holdfast_dead_letters",
    help: "Dead letters that are kept, counted to 10,000.",
  },
  deadLetterAge: {
    kind: "gauge",
    name: "holdfast_dead_letter_newest_age_seconds",
    help: "Age of the newest dead letter; absent if there is none.",
  },
  waitLateness: {
    kind: "gauge",
    name: "holdfast_wait_lateness_seconds",
    help: "For how long the wait has been over that should have ended first, of a step of any task; 0 if none is late.",
  },
  scheduleLateness: {
    kind: "gauge",
    name: "holdfast_schedule_lateness_seconds",
    help: "For how long the schedule has been due that should have fired first; 0 if none is late.",
  },
  breaker: {
    kind: "gauge",
    name: "holdfast_breaker_state",
    help: "The breaker of a remote service that has ever been open: 0 closed, 1 half-open, 2 open.",
    labels: { remote_service: { most: 500 } },
  },
} as const satisfies MetricDefinitions;
