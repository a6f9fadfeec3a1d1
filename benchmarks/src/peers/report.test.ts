import { describe, expect, test } from "@jest/globals";
import { report } from "./report.ts";
import { sample } from "./testing.ts";

describe("the page", () => {
  const lines = report(sample).split("\n");

  test("shows each contender's medians with their range", () => {
    expect(lines).toContain(
      "| DBOS     | 500 (50 to 1000)        | 400 (40 to 800)          | 40.0 (20.0 to 400.0) | 64.0 (32.0 to 640.0) |",
    );
  });

  test("shows the ratios of the peers alone", () => {
    expect(lines).toContain(
      "| DBOS | 2.00         | 2.00          | 2.00            | 2.00            |",
    );
    expect(lines.filter((line) => line.startsWith("| Holdfast"))).toHaveLength(2);
  });

  test("shows the CPU of all parts together, and of each", () => {
    expect(lines).toContain(
      "| DBOS     | each step a `runStep` in the workflow         | 0.80 | load 0.20, postgres 0.60 |",
    );
  });

  test("states the machine, the date and the versions of a measurement", () => {
    const text = lines.join("\n");
    expect(text).toContain("2026-11-21, 2 cores (test). Rounds: 3");
    expect(text).toContain("3000 orders of three steps");
    expect(text).toContain("Versions: node 24.11.0.");
  });
});
