import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { faultKinds } from "./faults.ts";
import type { Hunt } from "./kill-mutants.ts";
import { mutants } from "./mutants.ts";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
const longest = 30 * 60_000;

/** As a process of its own: Jest's modules are slower. */
async function run(...args: readonly string[]) {
  const node = ["--conditions=@holdfast/source", "--disable-warning=ExperimentalWarning"];
  const { stdout } = await promisify(execFile)(process.execPath, [...node, main, ...args]);
  return stdout;
}

interface Report {
  readonly schedules: number;
  readonly perSecond: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly violations: number;
  readonly mutants: readonly Hunt[];
}

test(
  "60,000 schedules keep every rule, and every mutant is found",
  async () => {
    // On one processor: another test runs on the other.
    const size = ["--schedules", "60000", "--threads", "1"];
    const lines = (await run(...size, "--mutants", "--json")).trim().split("\n");
    expect(lines).toHaveLength(1);
    const report = JSON.parse(lines[0]!) as Report;
    expect(report).toMatchObject({ schedules: 60_000, violations: 0 });
    // Whatever never happens is not tried.
    for (const kind of faultKinds) expect([kind, report.faults[kind]! > 50]).toEqual([kind, true]);
    expect(report.mutants).toHaveLength(Object.keys(mutants).length);
    const survivors = report.mutants.filter(({ schedules }) => schedules === null);
    expect(survivors).toEqual([]);
  },
  longest,
);

test("a run with one seed prints the story of its schedule", async () => {
  const story = await run("--seed", "1");
  expect(story).toContain("Schedule 1, in simulated milliseconds:");
  expect(story).toContain("heals everything");
  expect(story).toContain("is submitted");
});
