import { openMetrics } from "@holdfast/runtime/open-metrics";
import { expect, test } from "@jest/globals";
import { schedulerMeasures } from "./scheduler-measures.ts";

const failed = (code: string, attempted = true) =>
  ({ kind: "failed", code, message: "no", transient: true, attempted }) as const;

test("replies and returned requests under 10,000 names that no workflow has count as other", async () => {
  const metrics = openMetrics("scheduler");
  const measures = schedulerMeasures(metrics, (name) => name === "payments");
  for (let index = 0; index < 10_000; index += 1) {
    measures.replied(`agent-${index}`, failed(`area${index}.what`));
    measures.returned(`agent-${index}`, `reason-${index}`);
    measures.rejected(`reason-${index}`);
  }
  measures.replied("payments", failed("payments.declined", false));
  measures.replied("payments", failed("step.request_rejected"));
  measures.replied("payments", failed("nothing"));
  const { text } = await metrics.scrape();
  const lines = text.split("\n").filter((line) => line.startsWith("holdfast_"));
  const of = (name: string) => lines.filter((line) => line.startsWith(`${name}{`));
  expect(of("holdfast_replies_total")).toEqual([
    'holdfast_replies_total{agent="other",outcome="transient",service_name="scheduler"} 10000',
    'holdfast_replies_total{agent="payments",outcome="refused",service_name="scheduler"} 1',
    'holdfast_replies_total{agent="payments",outcome="transient",service_name="scheduler"} 2',
  ]);
  expect(of("holdfast_failed_replies_total")).toEqual([
    'holdfast_failed_replies_total{fault_area="other",service_name="scheduler"} 10001',
    'holdfast_failed_replies_total{fault_area="payments",service_name="scheduler"} 1',
    'holdfast_failed_replies_total{fault_area="step",service_name="scheduler"} 1',
  ]);
  expect(of("holdfast_returned_requests_total")).toHaveLength(1);
  expect(of("holdfast_rejected_replies_total").length).toBeLessThanOrEqual(61);
});
