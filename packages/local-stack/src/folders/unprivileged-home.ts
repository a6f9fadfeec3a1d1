import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { chown, cp, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The user id that owns nothing, on every system we know. */
export const unprivilegedId = 65_534;

const prefix = "/var/tmp/holdfast-";
/** The name on disk is that of earlier releases, whose folders must be removable, too. */
const note = (dataFolder: string) => join(dataFolder, "unprivileged-home");

/**
 * A folder that the unprivileged account can enter and write, with a copy of `binaries`; the same
 * one at each start.
 */
export async function unprivilegedHome(binaries: string, dataFolder: string): Promise<string> {
  const known = knownHome(dataFolder);
  if (known !== null && isComplete(known)) return known;
  if (known !== null) rmSync(known, { recursive: true, force: true });
  const home = await mkdtemp(prefix);
  await writeFile(note(dataFolder), home);
  await cp(binaries, join(home, "binaries"), { recursive: true, verbatimSymlinks: true });
  await chown(home, unprivilegedId, unprivilegedId);
  return home;
}

/** Removes a data folder and what belongs to it elsewhere. */
export function removeDataFolder(dataFolder: string): void {
  const home = knownHome(dataFolder);
  if (home !== null) rmSync(home, { recursive: true, force: true });
  rmSync(dataFolder, { recursive: true, force: true });
}

/** It is handed over as the last thing: one that was interrupted still belongs to root. */
function isComplete(home: string): boolean {
  return existsSync(home) && statSync(home).uid === unprivilegedId;
}

function knownHome(dataFolder: string): string | null {
  if (!existsSync(note(dataFolder))) return null;
  const home = readFileSync(note(dataFolder), "utf8");
  return home.startsWith(prefix) ? home : null;
}
