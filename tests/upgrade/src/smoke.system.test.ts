import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { holdfastFolder } from "@holdfast/local-stack";
import { repository } from "@holdfast/test-servers";
import { afterAll, expect, test } from "@jest/globals";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

/** What git answers; null where it does not, as in a tarball. */
function git(...args: readonly string[]): string | null {
  try {
    return execFileSync("git", args, { cwd: repository, encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return null;
  }
}

const from = git("rev-parse", "--short", "--verify", "HEAD~1^{commit}");
const why = from === null ? " (skipped: there is no commit before this one)" : "";
if (from === null) process.stderr.write(`No upgrade is run${why}.\n`);
const testUpgrade = from === null ? test.skip : test;

afterAll(() => {
  // Another commit has another one before it: its files would stay for ever.
  if (from !== null) git("worktree", "remove", "--force", join(holdfastFolder(), "against", from));
});

/** Runs it as a person would; the servers of this test run are not for it to break. */
async function runUpgrade(...options: readonly string[]) {
  const { TEST_STATE_STORE_URL: _store, TEST_BROKER_URL: _broker, ...env } = process.env;
  const args = ["--conditions=@holdfast/source", main, ...options, "--no-page", "--json"];
  const child = spawn(process.execPath, args, {
    env: { ...env, HOLDFAST_COMPILED: "yes" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [said, told] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { report: JSON.parse(said.trim().split("\n").at(-1) || "{}") as object, told };
}

testUpgrade(
  `an upgrade from the commit before, with the way back where there is one, loses and doubles no order under kills${why}`,
  async () => {
    const { report, told } = await runUpgrade(
      "--from",
      from ?? "",
      "--seconds",
      "40",
      "--seed",
      "1",
    );
    const { faults = ["it did not end"] } = report as { readonly faults?: readonly string[] };
    if (faults.length > 0) throw new Error([...faults, ...told.split("\n").slice(-40)].join("\n"));
    expect(report).toMatchObject({ from, lost: 0, doubled: 0, open: 0, deadLetters: 0 });
  },
  900_000,
);
