import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

/** Runs it as a person would; the servers of this test run are not for it to break. */
async function chaos(...options: readonly string[]) {
  const { TEST_STATE_STORE_URL: _store, TEST_BROKER_URL: _broker, ...env } = process.env;
  const child = spawn(
    process.execPath,
    ["--conditions=@holdfast/source", main, ...options, "--json"],
    { env, stdio: ["ignore", "pipe", "pipe"] },
  );
  const [said, told] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { verdict: JSON.parse(said.trim().split("\n").at(-1) ?? "{}") as object, told };
}

/**
 * The findings: in one line what was violated and the faults meanwhile, as a log may keep no more than the first
 * lines. Then which faults could not be injected and what went wrong; not the long list of faults.
 */
function findingsOf(report: string): string {
  const lines = report.split("\n");
  const end = lines.findIndex((line) => line.startsWith("all faults are over"));
  const failed = lines.slice(0, end).filter((line) => line.includes("could not be injected"));
  const told = lines.slice(end);
  const headline = told.filter((line) => / broken \(| FAULT | HEALED /.test(line));
  const unique = [...new Set(headline.map((line) => line.trim()))];
  return [unique.join("; "), ...failed, ...told].join("\n");
}

test("after a minute of faults of every kind, no order is lost, doubled or stuck, and every report is true", async () => {
  const { verdict, told } = await chaos("--profile", "smoke", "--seed", "1");
  const { valid } = verdict as { readonly valid?: boolean };
  if (valid !== true) throw new Error(findingsOf(told));
  expect(verdict).toMatchObject({ lost: 0, doubled: 0, stuck: 0, violations: 0, vacuous: [] });
}, 600_000);
