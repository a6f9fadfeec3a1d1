import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { holdfastFolder } from "@holdfast/local-stack";

/** What is compared with, in exactly these versions. */
export const peerVersions = {
  "@dbos-inc/dbos-sdk": "5.3.0",
  "@restatedev/restate-sdk": "1.17.2",
  "@restatedev/restate-server": "1.7.12",
  "graphile-worker": "0.18.0",
  "pg-boss": "12.35.0",
} as const;

export type PeerName = keyof typeof peerVersions;

const manifest = `${JSON.stringify({ private: true, type: "module", dependencies: peerVersions }, null, 2)}\n`;

/** Lets a program of the workspace load what is installed beside this file alone. */
const loader = "export const load = (name) => import(name);\n";

/** Holds what was installed last; written only when that has succeeded. */
const stampName = "installed.json";

/**
 * Installs the peers into a private folder, unless they are there already, and resolves to it. No
 * script of theirs runs: all that they need comes in their packages. Throws when npm fails.
 */
export async function installPeers(say: (line: string) => void): Promise<string> {
  const folder = join(holdfastFolder(), "peers");
  const stamp = join(folder, stampName);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === manifest) return folder;
  say(`installing the peers into ${folder} …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), manifest);
  writeFileSync(join(folder, "load.mjs"), loader);
  await npmInstall(folder);
  writeFileSync(stamp, manifest);
  return folder;
}

async function npmInstall(folder: string): Promise<void> {
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = spawn("npm", args, { cwd: folder, stdio: ["ignore", 2, 2] });
  const [code] = (await once(npm, "exit")) as [number | null];
  if (code !== 0) throw new Error(`npm ${args.join(" ")} failed in ${folder}`);
}
