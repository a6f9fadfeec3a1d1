import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { hasDebianPackages, installPackage } from "@holdfast/local-stack";

const run = promisify(execFile);

/** Debian's own Python, which finds what apt installs; another one may come first in PATH. */
export const python = "/usr/bin/python3";

/** What the Agents need, and how it is found. */
const needed: Readonly<Record<string, () => Promise<boolean>>> = {
  "python3-pika": () =>
    run(python, ["-c", "import pika"]).then(
      () => true,
      () => false,
    ),
  "amqp-tools": async () => existsSync("/usr/bin/amqp-consume"),
  jq: async () => existsSync("/usr/bin/jq"),
};

/**
 * Installs what the Agents in other languages need. Resolves to why they cannot run here; null:
 * they can.
 */
export async function whyNotRun(): Promise<string | null> {
  for (const [name, isThere] of Object.entries(needed)) {
    if (await isThere()) continue;
    const reason = await whyNotInstalled(name);
    if (reason === null) continue;
    process.stderr.write(`The Agents in Python and bash are not tested: ${reason}.\n`);
    return reason;
  }
  return null;
}

async function whyNotInstalled(name: string): Promise<string | null> {
  if (!hasDebianPackages()) return `${name} is not installed, and this is no Debian`;
  if (process.getuid?.() !== 0) return `${name} is not installed, and only root may`;
  return installPackage(name).then(
    () => null,
    (error: unknown) => `${name} cannot be installed: ${(error as Error).message.split("\n")[0]}`,
  );
}
