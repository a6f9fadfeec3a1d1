import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { holdfastFolder } from "@holdfast/local-stack";

/** A version of Holdfast that can be measured. */
export interface Version {
  /** What it is called in figures. */
  readonly title: string;
  /** The program that starts it, which is one of a contender. */
  readonly program: string;
}

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../../", import.meta.url));
/** The folders of the program, from the newest commits to the oldest. */
const places = ["benchmarks/src", "packages/bench/src"];
const program = "peers/contenders/holdfast.ts";

/** The version that is measured by itself otherwise: the files of this folder. */
export async function thisVersion(): Promise<Version> {
  const commit = await git("rev-parse", "--short", "HEAD");
  const changed = (await git("status", "--porcelain", "--untracked-files=no")) !== "";
  return { title: changed ? `${commit}, changed` : commit, program: programIn(root) };
}

/**
 * Checks a commit out below `.holdfast`, unless it is there already, and installs its packages. Throws if it has
 * no program to be measured by, as commits before the comparison with peers have none.
 */
export async function checkOut(commit: string, say: (line: string) => void): Promise<Version> {
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
  return { title, program: programIn(folder) };
}

function programIn(folder: string): string {
  const found = places.map((place) => join(folder, place, program)).find(existsSync);
  if (found === undefined) throw new Error(`${folder} has no ${program} to be measured by`);
  return found;
}

async function git(...args: readonly string[]): Promise<string> {
  const { stdout } = await run("git", args, { cwd: root });
  return stdout.trim();
}
