export { documentedMetrics } from "./documented-metrics.ts";
export { expressions } from "./expressions.ts";
export { type ExposedMetric, parseExposition } from "./parse-exposition.ts";
export { promqlFacts } from "./promql-facts.ts";
export { whyNoPrometheus } from "./promtool.ts";
export { type RunningPrometheus, startPrometheus } from "./start-prometheus.ts";
