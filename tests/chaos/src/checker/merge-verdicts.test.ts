import { expect, test } from "@jest/globals";
import { judge } from "./judge.ts";
import { mergeVerdicts } from "./merge-verdicts.ts";
import { cleanEvidence } from "./testing.ts";

test("rounds are summed up, and one invalid round makes the sum invalid", () => {
  const good = judge(cleanEvidence());
  const bad = judge({ ...cleanEvidence(), ledger: [] });
  const { recovery, violations, ...both } = mergeVerdicts([good, bad]);
  expect(both).toMatchObject({ valid: false, orders: 4, faults: 2, classes: 1, stuck: 0 });
  expect(violations).toEqual(bad.violations);
  expect(recovery).toEqual({
    "agent-frozen": { outages: [50, 50], times: [350, 450, 350, 450] },
  });
  expect(mergeVerdicts([good, good]).valid).toBe(true);
});
