import { expect, test } from "@jest/globals";
import { type FlatResult, report } from "./report.ts";

const figures = { claimP50: 1, claimP99: 2, replyP50: 3, replyP99: 4 };
const result: FlatResult = {
  date: "2026-11-21",
  machine: "2 cores",
  postgres: "18.4",
  load: 0.1,
  rounds: 3,
  batches: 1_000,
  steps: 9,
  cases: [
    { title: "empty", figures, ratios: null },
    { title: "full", figures, ratios: { ...figures, claimP50: 1.25 } },
  ],
  held: null,
};

test("the report shows each store, compared with the empty store", () => {
  const lines = report(result).split("\n");
  expect(lines).toContain("| empty | 1.00      | 2.00 | 3.00      | 4.00 |");
  expect(lines).toContain("| full | 1.25      | 2.00 | 3.00      | 4.00 |");
  expect(lines.filter((line) => line.startsWith("| empty"))).toHaveLength(1);
});

test("the report mentions a snapshot only if one was held open", () => {
  expect(report(result)).not.toContain("snapshot");
  const parts = [1, 2].map((claimMax) => ({ ...figures, claimMax, steps: 45 }));
  const before = [{ ...figures, claimMax: 9, steps: 45 }];
  const held = report({ ...result, held: { seconds: 60, before, parts } });
  expect(held).toContain(
    "| before | 1.00      | 2.00 | 3.00      | 4.00 | 9.0           | 45    |",
  );
  expect(held).toContain(
    "| 30 s   | 1.00      | 2.00 | 3.00      | 4.00 | 1.0           | 45    |",
  );
  expect(held).toContain(
    "| 60 s   | 1.00      | 2.00 | 3.00      | 4.00 | 2.0           | 45    |",
  );
});
