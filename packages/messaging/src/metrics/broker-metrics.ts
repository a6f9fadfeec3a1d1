import type { MetricDefinitions } from "@holdfast/runtime";

const messaging_destination_name = { most: 100 };

/** What every process with a connection to RabbitMQ says of its messages. */
export const brokerMetrics = {
  sent: {
    kind: "counter",
    name: "messaging_client_sent_messages_total",
    help: "Messages published, by exchange. `error_type` is `none` when the broker confirmed that a queue has it or it was a transient hint, `unroutable` when it was returned, `unknown` when it was refused, not confirmed in time or the connection was lost.",
    labels: { messaging_destination_name, error_type: ["none", "unroutable", "unknown"] },
  },
  confirmed: {
    kind: "histogram",
    name: "messaging_client_operation_duration_seconds",
    help: "Time from publishing a message until its confirm.",
    labels: { messaging_operation_name: ["publish"] },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  consumed: {
    kind: "counter",
    name: "messaging_client_consumed_messages_total",
    help: "Messages handed to their consumer, by queue; each of a bundle, and a retried one again. All reply queues count as the common one.",
    labels: { messaging_destination_name },
  },
  batch: {
    kind: "histogram",
    name: "holdfast_consumed_batch_messages",
    help: "Messages that a consumer handled together, by queue.",
    labels: { messaging_destination_name },
    buckets: [1, 2, 5, 10, 20, 50, 100, 200],
  },
  processed: {
    kind: "histogram",
    name: "messaging_process_duration_seconds",
    help: "Time that a consumer took for a message or a batch, by queue.",
    labels: { messaging_destination_name },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30, 120],
  },
} as const satisfies MetricDefinitions;
