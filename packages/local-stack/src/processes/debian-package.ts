import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
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
    // Servers here are our own: the package's service is not to start, neither by init nor by systemd.
    RUNLEVEL: "1",
    SYSTEMD_OFFLINE: "1",
  };
  await run("apt-get", ["update", "-qq"], { ...outputLimit, env });
  const how = ["install", "-y", "-qq", "--no-install-recommends", name];
  await run("apt-get", how, { ...outputLimit, env });
}
