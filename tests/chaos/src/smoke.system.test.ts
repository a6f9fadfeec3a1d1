import { fileURLToPath } from "node:url";
import { runMain } from "@holdfast/processes";
import { expect, test } from "@jest/globals";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

/**
 * The findings: in one line what was violated and the faults meanwhile, as a log may keep no more
 * than the first lines. Then which faults could not be injected and what went wrong; not the long
 * list of faults.
 */
function findingsOf(report: string): string {
  const lines = report.split("\n");
  const end = lines.findIndex((line) => line.startsWith("all faults are over"));
  const failed = lines.slice(0, end).filter((line) => line.includes("could not be injected"));
  const findings = lines.slice(end);
  const headline = findings.filter((line) => / broken \(| FAULT | HEALED /.test(line));
  const unique = [...new Set(headline.map((line) => line.trim()))];
  return [unique.join("; "), ...failed, ...findings].join("\n");
}

test("after a minute of faults of every kind, no order is lost, doubled or stuck, and every report is true", async () => {
  const { result, said } = await runMain(main, ["--profile", "smoke", "--seed", "1"]);
  const { valid } = result as { readonly valid?: boolean };
  if (valid !== true) throw new Error(findingsOf(said));
  expect(result).toMatchObject({ lost: 0, doubled: 0, stuck: 0, violations: 0, vacuous: [] });
}, 600_000);
