import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { processIdentity } from "./process-identity.ts";

/** Notes which process stands behind `file`, so that a later run can tell it from a stranger. */
export function writePidFile(file: string, pid: number): void {
  writeFileSync(file, JSON.stringify({ pid, identity: processIdentity(pid) }));
}

/** The pid that `file` names, if that very process still lives; else null. */
export function readPidFile(file: string): number | null {
  try {
    const { pid, identity } = JSON.parse(readFileSync(file, "utf8"));
    return identity !== null && processIdentity(pid) === identity ? pid : null;
  } catch {
    return null;
  }
}

/** Ends the process that `file` names, if it still lives, and forgets the file. */
export function killByPidFile(file: string): void {
  const pid = readPidFile(file);
  if (pid !== null) process.kill(pid, "SIGKILL");
  rmSync(file, { force: true });
}
