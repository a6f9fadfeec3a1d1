import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const main = fileURLToPath(new URL("../../packages/chaos/src/main.ts", import.meta.url));

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

/** What went wrong, the first witnesses and all that is known of them, before the long list of faults. */
function findingsFirst(report: string): string {
  const lines = report.split("\n");
  const end = lines.findIndex((line) => line.startsWith("all faults are over"));
  return [...lines.slice(end), "", ...lines.slice(0, end)].join("\n");
}

test("a minute of faults of every kind: no order is lost, doubled or stuck, and nothing is untrue", async () => {
  const { verdict, told } = await chaos("--profile", "smoke", "--seed", "1");
  const { valid } = verdict as { readonly valid?: boolean };
  expect(valid === true ? "valid" : findingsFirst(told)).toBe("valid");
  expect(verdict).toMatchObject({ lost: 0, doubled: 0, stuck: 0, violations: 0, vacuous: [] });
}, 240_000);
