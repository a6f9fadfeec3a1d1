import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { outsideEnvironment } from "./install-packages.ts";
import { openTerminal } from "./open-terminal.ts";
import { root } from "./public-packages.ts";
import { runProgram } from "./run-program.ts";

interface Options {
  /** A folder that is not there yet. */
  readonly folder: string;
  readonly registryUrl: string;
}

/** A command in a network of its own, which has nothing but this machine. */
export const cutOff = (command: string): string =>
  `unshare --net bash -c 'ip link set lo up && exec ${command}'`;

/** Why the network cannot be cut here; null: it can. */
export async function whyNotCut(): Promise<string | null> {
  const cut = await runProgram("bash", ["-c", cutOff("true")], { mayFail: true }).catch(() => null);
  return cut?.code === 0 ? null : "this user may not make a network of its own";
}

/**
 * Makes a project with the network, installs it anew from the cache without, and resolves to how
 * its task ended.
 */
export async function developWithoutNetwork({ folder, registryUrl }: Options): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const env = {
    ...outsideEnvironment(registryUrl),
    npm_config_cache: join(folder, ".cache"),
    // Without it the cache is not found by the lock file.
    npm_config_omit_lockfile_registry_resolved: "false",
  };
  await runProgram("npm", ["create", "holdfast@latest", "shop"], { folder, env });
  const project = join(folder, "shop");
  rmSync(join(project, "node_modules"), { recursive: true });
  const install = cutOff("npm ci --offline --loglevel=error");
  await runProgram("bash", ["-c", install], { folder: project, env });
  await using dev = openTerminal(cutOff("npx holdfast dev"), { folder: project, env });
  await dev.seen(/^keys:/m);
  dev.press("s");
  const [ended] = await dev.seen(/^\S+ (processed|undone|halted)/m);
  await dev.interrupt();
  return ended.split(" ")[1] ?? "";
}

/**
 * Runs `npm start` of the repository, as installed, without a network, until all its services run.
 */
export async function startWithoutNetwork({ folder }: Pick<Options, "folder">): Promise<void> {
  const env = { HOLDFAST_DATA: folder, NODE_OPTIONS: undefined };
  await using demo = openTerminal(cutOff("npm start"), { folder: root, env });
  await demo.seen(/^look at it all at http/m);
  await demo.interrupt();
}
