import { lstatSync, mkdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { holdfastFolder } from "@holdfast/local-stack";

/** Linux keeps what is there in memory. */
const memory = "/dev/shm";
/** Bytes that the servers of a run may fill: some fifty databases at a time, their log, and queues. */
const filled = 4 * 1024 ** 3;
/** Bytes that the tests themselves take beside it. */
const taken = 6 * 1024 ** 3;

/**
 * Returns where the servers of test runs keep their data: in memory where there is room for it, else on the disk. A run
 * makes and drops hundreds of databases of four hundred files each, for which a disk takes a tenth of a second of
 * processor time and more. No test run outlives its servers, so nothing is lost with the memory.
 */
export function testFolder(): string {
  return folderInMemory() ?? join(holdfastFolder(), "test");
}

/** One for all clones of a user, so that the next run anywhere removes what a killed one left there. */
function folderInMemory(): string | null {
  if (!hasRoom()) return null;
  const folder = join(memory, `holdfast-test-${process.getuid?.()}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Everyone may write to /dev/shm: a folder that another user made first is not ours.
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === process.getuid?.() ? folder : null;
  } catch {
    return null;
  }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= filled && process.availableMemory() >= filled + taken;
  } catch {
    return false;
  }
}
