import type { MetricDefinitions } from "@holdfast/runtime";

/** What submission says of its HTTP routes. */
export const httpMetrics = {
  duration: {
    kind: "histogram",
    name: "http_server_request_duration_seconds",
    help: "Time from the first byte of a request until its answer was sent, by the pattern of its route; `none` if it has no route.",
    labels: {
      http_request_method: ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"],
      http_route: { most: 150 },
      http_response_status_code: { most: 30 },
    },
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  },
  refusedTokens: {
    kind: "counter",
    name: "holdfast_refused_operator_tokens_total",
    help: "Requests of operators that were refused because their token was wrong.",
  },
} as const satisfies MetricDefinitions;
