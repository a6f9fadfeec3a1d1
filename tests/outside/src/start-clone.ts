import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./public-packages.ts";
import { type Ran, runProgram } from "./run-program.ts";
import { cutOff } from "./run-without-network.ts";

/** What an install leaves in the home of its user, and all that another one takes from there. */
const caches = [".npm", ".local/share/pnpm/store", ".cache/pnpm"] as const;

/** Why there is no clone of this repository; null: there can be one. */
export async function whyNotCloned(): Promise<string | null> {
  const { code } = await runProgram("git", ["rev-parse", "--verify", "HEAD"], { mayFail: true });
  if (code !== 0) return "these files are no repository of git";
  const missing = caches.find((name) => !existsSync(join(homedir(), name)));
  return missing === undefined ? null : `there is no cache ${join(homedir(), missing)}`;
}

interface CloneOptions {
  /** A folder that is not there yet. */
  readonly folder: string;
  /** The caches that the new home has. */
  readonly kept?: readonly string[];
}

/**
 * Clones the repository and starts it for some orders, by a user whose home has nothing but caches,
 * on a machine without a network. Resolves to how that ended.
 */
export async function startClone({ folder, kept = caches }: CloneOptions): Promise<Ran> {
  const home = join(folder, "home");
  for (const name of kept) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    symlinkSync(join(homedir(), name), join(home, name));
  }
  mkdirSync(home, { recursive: true });
  const clone = join(folder, "a clone");
  await runProgram("git", ["clone", "--quiet", root, clone]);
  const command = "npm start -- --orders 20 --exit --no-kill";
  // Nothing of this process's environment: npm hands its settings on in it. Without caches npm
  // would ask for a minute and more.
  const environment = [`PATH=${process.env["PATH"]}`, `HOME=${home}`, "npm_config_fetch_retries=0"];
  const program = ["-i", ...environment, "bash", "-c", cutOff(command)];
  return await runProgram("env", program, { folder: clone, mayFail: true });
}

/** The network interfaces that a program has without a network. */
export async function interfacesLeft(): Promise<readonly string[]> {
  const { stdout } = await runProgram("bash", ["-c", cutOff("ip -brief link")]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.split(" ")[0] ?? "");
}
