import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { testScope } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { faultKinds } from "./faults.ts";
import { type Hunt, mutantsOf } from "./kill-mutants.ts";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
/** Milliseconds. All mutants take a quarter of an hour on a processor of their own. */
const longest = 4 * 60 * 60_000;

/**
 * Runs the simulation in a process of its own: Jest's modules are slower. What it found is judged
 * here.
 */
async function run(...args: readonly string[]): Promise<string> {
  const node = ["--conditions=@holdfast/source", "--disable-warning=ExperimentalWarning"];
  const ran = promisify(execFile)(process.execPath, [...node, main, ...args]);
  const { stdout } = await ran.catch(
    (error: { readonly stdout: string; readonly message: string }) => {
      if (error.stdout === "") throw error;
      return error;
    },
  );
  return stdout;
}

interface Report {
  readonly schedules: number;
  readonly perSecond: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly violations: number;
  readonly mutants?: readonly Hunt[];
}

/**
 * How much is simulated: all 60,000 schedules with all mutants, a tenth of both, or the first few
 * alone. Of each kind of fault more than so many happen; in 2,000 schedules some may not.
 */
function sizeOfScope() {
  const { kind, tenth } = testScope();
  if (kind === "usual") return { schedules: 2_000, from: 1, hunts: [], mutants: 0, faults: -1 };
  const part = kind === "all" ? null : tenth;
  return {
    ...(part === null
      ? { schedules: 60_000, from: 1, faults: 50 }
      : { schedules: 6_000, from: 1 + 6_000 * part, faults: 0 }),
    hunts: ["--mutants", ...(part === null ? [] : ["--tenth", String(part)])],
    mutants: mutantsOf(part).length,
  };
}

const size = sizeOfScope();
test(
  "schedules keep every rule, and mutants are found",
  async () => {
    // On one processor: another test runs on the other.
    const schedules = ["--schedules", String(size.schedules), "--from", String(size.from)];
    const args = [...schedules, "--threads", "1", ...size.hunts, "--json"];
    const lines = (await run(...args)).trim().split("\n");
    expect(lines).toHaveLength(1);
    const report = JSON.parse(lines[0]!) as Report;
    expect(report).toMatchObject({ schedules: size.schedules, violations: 0 });
    // Whatever never happens is not tried.
    for (const kind of faultKinds) {
      expect([kind, (report.faults[kind] ?? 0) > size.faults]).toEqual([kind, true]);
    }
    const { mutants = [] } = report;
    expect(mutants).toHaveLength(size.mutants);
    expect(mutants.filter(({ schedules: took }) => took === null)).toEqual([]);
  },
  longest,
);

test("a run with one seed prints the story of its schedule", async () => {
  const story = await run("--seed", "4");
  expect(story).toContain("Schedule 4, in simulated milliseconds:");
  expect(story).toContain("heals everything");
  expect(story).toContain("is submitted");
});
