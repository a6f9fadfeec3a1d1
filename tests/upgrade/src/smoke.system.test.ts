import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { holdfastFolder } from "@holdfast/local-stack";
import { runMain } from "@holdfast/processes";
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

testUpgrade(
  `an upgrade from the commit before, with the way back where there is one, loses and doubles no order under kills${why}`,
  async () => {
    const { result, said } = await runMain(
      main,
      ["--from", from ?? "", "--seconds", "40", "--seed", "1", "--no-page"],
      { HOLDFAST_COMPILED: "yes" },
    );
    const { faults = ["it did not end"] } = result as { readonly faults?: readonly string[] };
    if (faults.length > 0) throw new Error([...faults, ...said.split("\n").slice(-40)].join("\n"));
    expect(result).toMatchObject({ from, lost: 0, doubled: 0, open: 0, deadLetters: 0 });
  },
  900_000,
);
