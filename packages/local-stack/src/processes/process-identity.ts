import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * What tells a process from any other that ever had, or will have, its pid: the moment it started.
 * Null when there is no such process. A pid alone proves nothing: the kernel hands it out again.
 */
export function processIdentity(pid: number): string | null {
  try {
    return process.platform === "linux" ? fromProc(pid) : fromPs(pid);
  } catch {
    return null;
  }
}

function fromProc(pid: number): string | null {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the command in brackets and may hold blanks: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startedAt] = [fields[0], fields[19]];
  if (state === "Z" || state === "X") return null;
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return `${boot}/${startedAt}`;
}

function fromPs(pid: number): string | null {
  return (
    execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || null
  );
}
