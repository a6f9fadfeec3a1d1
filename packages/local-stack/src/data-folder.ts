import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeDataFolder } from "./home-of-nobody.ts";
import { killByPidFile, readPidFile, writePidFile } from "./pid-file.ts";

const ownerFile = "owner.pid";

/** Where everything that we keep on this machine goes: `.holdfast` in the project, or HOLDFAST_DATA. */
export function holdfastFolder(): string {
  const inProject = fileURLToPath(new URL("../../../.holdfast", import.meta.url));
  return process.env["HOLDFAST_DATA"] ?? inProject;
}

/**
 * Takes a folder for the life of this process. What an owner who died without cleaning up left
 * running is ended first; a folder whose owner lives is refused. `fresh` empties it.
 */
export function takeDataFolder(folder: string, { fresh }: { readonly fresh: boolean }): Disposable {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const owner = readPidFile(join(folder, ownerFile));
  if (owner !== null) {
    throw new Error(`${folder} is in use by process ${owner}. Stop that one first.`);
  }
  endLeftovers(folder);
  if (fresh) removeDataFolder(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writePidFile(join(folder, ownerFile), process.pid);
  return { [Symbol.dispose]: () => rmSync(join(folder, ownerFile), { force: true }) };
}

/** Ends and removes everything in `parent` whose owner no longer lives. */
export function removeAbandonedFolders(parent: string): void {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    if (readPidFile(join(folder, ownerFile)) !== null) continue;
    endLeftovers(folder);
    removeDataFolder(folder);
  }
}

function endLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.endsWith(".pid")) killByPidFile(join(folder, name));
  }
}
