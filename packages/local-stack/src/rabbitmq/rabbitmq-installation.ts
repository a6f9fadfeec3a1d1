import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** A RabbitMQ on this machine's disk. */
export interface RabbitmqInstallation {
  /** The folder of `rabbitmq-server` and `rabbitmqctl`. */
  readonly scripts: string;
  /** What its processes need in their environment, such as the way to `erl`. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The servers of packages and of Homebrew, where plain users may run them: what Debian puts into
 * the PATH is a wrapper that insists on root.
 */
const scriptFolders = [
  "/usr/lib/rabbitmq/bin",
  "/opt/homebrew/opt/rabbitmq/sbin",
  "/usr/local/opt/rabbitmq/sbin",
];

/**
 * Names the folder of another RabbitMQ, with its scripts and `erl`: tests run on several releases.
 */
const folderVariable = "HOLDFAST_RABBITMQ";

/** The RabbitMQ that is installed here, or null. */
export function findRabbitmq(): RabbitmqInstallation | null {
  const path = process.env["PATH"] ?? "";
  const given = process.env[folderVariable] ?? "";
  if (given !== "") return installationAt(given);
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  const hasErlang = folders.some((folder) => existsSync(join(folder, "erl")));
  const scripts = [...scriptFolders, ...folders].find(hasServer);
  return scripts !== undefined && hasErlang ? { scripts, env: { PATH: path } } : null;
}

/** The RabbitMQ whose scripts, and `erl`, are in a folder. */
export const installationAt = (scripts: string): RabbitmqInstallation => ({
  scripts,
  env: { PATH: `${scripts}${delimiter}${process.env["PATH"] ?? ""}` },
});

function hasServer(folder: string): boolean {
  return existsSync(join(folder, "rabbitmq-server"));
}
