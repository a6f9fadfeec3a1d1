import { execFileSync, spawnSync } from "node:child_process";
import { hasDebianPackages, installPackage } from "@holdfast/local-stack";

/** What a run of the program said, and whether it was content. */
export interface PromtoolAnswer {
  readonly isWell: boolean;
  readonly text: string;
}

/**
 * Why there is no Prometheus on this machine, after installing it where that is possible; null:
 * there is one.
 */
export async function whyNoPrometheus(): Promise<string | null> {
  if (hasPrometheus()) return null;
  if (!hasDebianPackages()) return "prometheus is not installed, and this is no Debian";
  if (process.getuid?.() !== 0) return "prometheus is not installed, and only root may install it";
  return installPackage("prometheus").then(
    () => (hasPrometheus() ? null : "the package prometheus does not run"),
    (error: unknown) =>
      `prometheus cannot be installed: ${(error as Error).message.split("\n")[0]}`,
  );
}

function hasPrometheus(): boolean {
  try {
    for (const name of ["prometheus", "promtool"]) {
      execFileSync(name, ["--version"], { stdio: "ignore" });
    }
    return true;
  } catch {
    return false;
  }
}

/** Runs the tool of Prometheus that checks and tests files. */
export function promtool(...args: readonly string[]): PromtoolAnswer {
  const { status, stdout, stderr } = spawnSync("promtool", [...args], { encoding: "utf8" });
  return { isWell: status === 0, text: `${stdout}${stderr}` };
}
