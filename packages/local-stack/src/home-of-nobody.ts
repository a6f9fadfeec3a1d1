import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { chown, cp, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The user id that owns nothing, on every system we know. */
export const nobody = 65_534;

const prefix = "/var/tmp/holdfast-";
const note = (dataFolder: string) => join(dataFolder, "home-of-nobody");

/** A folder that nobody can enter and write, with a copy of `binaries`; the same one at each start. */
export async function homeOfNobody(binaries: string, dataFolder: string): Promise<string> {
  const known = knownHome(dataFolder);
  if (known !== null && isComplete(known)) return known;
  if (known !== null) rmSync(known, { recursive: true, force: true });
  const home = await mkdtemp(prefix);
  await writeFile(note(dataFolder), home);
  await cp(binaries, join(home, "binaries"), { recursive: true, verbatimSymlinks: true });
  await chown(home, nobody, nobody);
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
  return existsSync(home) && statSync(home).uid === nobody;
}

function knownHome(dataFolder: string): string | null {
  if (!existsSync(note(dataFolder))) return null;
  const home = readFileSync(note(dataFolder), "utf8");
  return home.startsWith(prefix) ? home : null;
}
