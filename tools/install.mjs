import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";
import { run } from "./run.mjs";

const stamp = join(root, "node_modules", ".holdfast-installed");

/**
 * Runs pnpm in the version that package.json names, without installing it anywhere.
 * @param {readonly string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export function pnpm(args, options) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  // One that is in the cache needs no network.
  return run("npx", ["--yes", "--prefer-offline", packageManager, ...args], options);
}

const standardError = 2;

/**
 * Installs what the lockfile names, unless that was done before.
 * @param {(line: string) => void} say
 */
export async function install(say) {
  const lockfile = readFileSync(join(root, "pnpm-lock.yaml"));
  const wanted = createHash("sha256").update(lockfile).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  say("Installing the packages …");
  const frozen = ["install", "--frozen-lockfile", "--prefer-offline"];
  const command = [...frozen, "--config.confirm-modules-purge=false"];
  // The standard output belongs to the task, which may print JSON.
  const code = await pnpm(command, { output: standardError });
  if (code !== 0)
    throw new Error("The packages could not be installed: see above. Is there a network?");
  writeFileSync(stamp, wanted);
}
