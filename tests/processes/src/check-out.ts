import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { holdfastFolder } from "@holdfast/local-stack";
import { repository } from "@holdfast/test-servers";

/** Another commit of this repository, in a folder of its own. */
interface CheckOut {
  /** The short name of the commit. */
  readonly title: string;
  /** The root of its files. */
  readonly root: string;
}

const run = promisify(execFile);
const git = async (...args: readonly string[]): Promise<string> =>
  (await run("git", args, { cwd: repository })).stdout.trim();

/**
 * What the files of this folder are called: their commit, and whether one of them was changed
 * since.
 */
export async function describeThis(): Promise<string> {
  const commit = await git("rev-parse", "--short", "HEAD");
  const changed = (await git("status", "--porcelain", "--untracked-files=no")) !== "";
  return changed ? `${commit}, changed` : commit;
}

/** The newest tag of a release, such as `v1.2.0`; null: there is none. */
export async function newestRelease(): Promise<string | null> {
  const tags = await git("tag", "--list", "v*", "--sort=-version:refname");
  return tags.split("\n")[0] || null;
}

/** Checks a commit out below `.holdfast`, unless it is there already, and installs its packages. */
export async function checkOut(commit: string, say: (line: string) => void): Promise<CheckOut> {
  const title = await git("rev-parse", "--short", "--verify", `${commit}^{commit}`);
  const folder = join(holdfastFolder(), "against", title);
  if (!existsSync(join(folder, "package.json"))) {
    say(`checking out ${title} into ${folder} …`);
    await git("worktree", "prune");
    await git("worktree", "add", "--detach", folder, title);
  }
  say(`installing the packages of ${title} …`);
  // Each commit knows how its own packages are installed.
  const install = 'import("./tools/install.mjs").then(({ install }) => install(() => {}))';
  await run(process.execPath, ["--input-type=module", "--eval", install], { cwd: folder });
  return { title, root: folder };
}
