import { expect, test } from "@jest/globals";
import { judge } from "./judge.ts";
import { summarise } from "./measure-recovery.ts";
import { cleanEvidence } from "./testing.ts";

test("recovery is measured from the moment when every fault was over", () => {
  const { recovery } = judge(cleanEvidence());
  const { "agent-frozen": frozen = { outages: [], times: [] } } = recovery;
  expect(frozen).toEqual({ outages: [50], times: [350, 450] });
  expect(summarise(frozen)).toEqual({
    faults: 1,
    outage: { p50: 50, p99: 50, max: 50 },
    struck: 2,
    p50: 350,
    p99: 450,
    max: 450,
  });
});
