import { execFileSync } from "node:child_process";
import { delimiter, dirname } from "node:path";

const wanted = "24.21.0";
const oldest = [24, 11];

/** Whether this process is new enough to run the project: it runs TypeScript as it is. */
export function nodeIsNewEnough() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

/**
 * Why nothing of the repository runs on this system; null: it does.
 * @param {NodeJS.Platform} platform
 */
export const whyNotOn = (platform) =>
  platform === "win32"
    ? "A clone of Holdfast does not run on Windows, which has neither its shell nor its signals: run it in WSL."
    : null;

/**
 * The path of a Node that is, out of npm's own cache: nothing on the machine is replaced.
 * @param {(line: string) => void} say
 */
export function fetchNode(say) {
  say(`Node ${wanted} is used, out of npm's cache, as this machine has ${process.versions.node}.`);
  try {
    const printPath = ["--yes", `node@${wanted}`, "--print", "process.execPath"];
    const env = {
      ...process.env,
      npm_config_loglevel: "error",
      npm_config_update_notifier: "false",
      // A version that is in the cache needs no network: asked for, npm waits for minutes where
      // there is none.
      npm_config_prefer_offline: "true",
    };
    return execFileSync("npx", printPath, { encoding: "utf8", env }).trim();
  } catch (cause) {
    throw new Error(
      `Node ${oldest.join(".")} or newer is needed and could not be fetched from npm. Install it, or check the network, and try again.`,
      { cause },
    );
  }
}

/**
 * The environment in which `node` means `execPath`, for everything that is started from here.
 * @param {string} execPath
 */
export function withNodeFirst(execPath) {
  return { PATH: [dirname(execPath), process.env.PATH].join(delimiter) };
}
