import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
export const outputLimit = { maxBuffer: 64 * 1024 * 1024 };

/** Whether packages of Debian or Ubuntu can be had and opened here. */
export function hasDebianPackages(): boolean {
  return ["/usr/bin/apt-get", "/usr/bin/dpkg-deb"].every((tool) => existsSync(tool));
}

/** Installs a package of the distribution without starting its service. Only root may. */
export async function installPackage(name: string): Promise<void> {
  const env = {
    ...process.env,
    DEBIAN_FRONTEND: "noninteractive",
    // Servers here are our own: the package's service is not to start, neither by init nor by
    // systemd.
    RUNLEVEL: "1",
    SYSTEMD_OFFLINE: "1",
  };
  await runApt(["update", "-qq"], env);
  await runApt(["install", "-y", "-qq", "--no-install-recommends", name], env);
}

const lockTimeoutMs = 300_000;

/**
 * Waits while another apt runs on this machine: apt itself waits for the lock of dpkg, and not for
 * its lists.
 */
async function runApt(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const until = Date.now() + lockTimeoutMs;
  const options = ["-o", `DPkg::Lock::Timeout=${lockTimeoutMs / 1000}`];
  for (;;) {
    const error = await run("apt-get", [...options, ...args], { ...outputLimit, env }).then(
      () => null,
      (cause: Error) => cause,
    );
    if (error === null) return;
    if (!/Could not get lock|Unable to lock/.test(error.message) || Date.now() > until) throw error;
    await setTimeout(1_000);
  }
}
