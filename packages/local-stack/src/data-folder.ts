import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeDataFolder } from "./home-of-nobody.ts";
import { killByPidFile, readPidFile, writePidFile } from "./pid-file.ts";

const ownerFile = "owner.pid";
/** Says where the folder was when its data was made: the servers keep absolute paths in it. */
const placeFile = "place";

/** Why a data folder cannot be used, in a sentence that says what to do. */
export class DataFolderFault extends Error {}

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
    throw new DataFolderFault(`${folder} is in use by process ${owner}. Stop that one first.`);
  }
  endLeftovers(folder);
  if (fresh) removeDataFolder(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  mustBeInPlace(folder);
  writePidFile(join(folder, ownerFile), process.pid);
  return { [Symbol.dispose]: () => rmSync(join(folder, ownerFile), { force: true }) };
}

/** A folder that was copied or renamed holds servers that look for their files elsewhere. */
function mustBeInPlace(folder: string): void {
  const place = realpathSync(folder);
  const file = join(folder, placeFile);
  const before = existsSync(file) ? readFileSync(file, "utf8") : place;
  if (before !== place) {
    throw new DataFolderFault(
      `The data in ${folder} was made in ${before} and works only there: it was copied or renamed. Start with --fresh, which forgets it.`,
    );
  }
  writeFileSync(file, place, { mode: 0o600 });
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
