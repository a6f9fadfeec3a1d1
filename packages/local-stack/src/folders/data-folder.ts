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
import { killByPidFile, readPidFile, writePidFile } from "../processes/pid-file.ts";
import { removeDataFolder } from "./unprivileged-home.ts";

const ownerFile = "owner.pid";
/** Says where the folder was when its data was made: the servers keep absolute paths in it. */
const placeFile = "place";
const formatFile = "format";
/**
 * The format of a data folder. Raise it when this release cannot use what an earlier one left
 * there: other servers, another layout, or a store whose migrations are no longer there.
 */
const currentFormat = "2";

/** Why a data folder cannot be used, in a sentence that says what to do. */
export class DataFolderFault extends Error {}

/**
 * The folder for everything that we keep on this machine: `.holdfast` in the project, or
 * HOLDFAST_DATA.
 */
export function holdfastFolder(): string {
  const inProject = fileURLToPath(new URL("../../../../.holdfast", import.meta.url));
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
  mustHaveCurrentFormat(folder);
  mustBeInPlace(folder);
  writePidFile(join(folder, ownerFile), process.pid);
  return { [Symbol.dispose]: () => rmSync(join(folder, ownerFile), { force: true }) };
}

/** A folder from before there were formats has a place or a password, and no format. */
function mustHaveCurrentFormat(folder: string): void {
  const file = join(folder, formatFile);
  const isUsed = readdirSync(folder).some(
    (name) => name === placeFile || name.endsWith(".password"),
  );
  const unused = isUsed ? "none" : currentFormat;
  const format = existsSync(file) ? readFileSync(file, "utf8") : unused;
  if (format !== currentFormat) {
    throw new DataFolderFault(
      `The data in ${folder} has format ${format}, this release needs format ${currentFormat}: another release made it. Start with --fresh, which deletes it: npm start -- --fresh`,
    );
  }
  writeFileSync(file, currentFormat, { mode: 0o600 });
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
