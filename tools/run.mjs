import { spawn } from "node:child_process";

/** npm is only a means here: what it wants to say about itself does not belong on the screen. */
const quietNpm = {
  npm_config_loglevel: "error",
  npm_config_update_notifier: "false",
  npm_config_fund: "false",
  npm_config_audit: "false",
};

const wait = () => {};

/**
 * Runs a program on this terminal and returns its exit code. Ctrl-C reaches the program by itself,
 * being in the same group; other requests to stop are passed on. Either way it is waited for.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ readonly env?: NodeJS.ProcessEnv, readonly output?: "inherit" | number, readonly signal?: AbortSignal }} [options] The signal kills it.
 * @returns {Promise<number>}
 */
export function run(command, args, { env = {}, output = "inherit", signal: kill } = {}) {
  const child = spawn(command, args, {
    stdio: ["inherit", output, "inherit"],
    env: { ...process.env, ...quietNpm, ...env },
  });
  const passOn = () => void child.kill("SIGTERM");
  process.on("SIGTERM", passOn).on("SIGHUP", passOn).on("SIGINT", wait);
  const watch = onEndOfNpm(passOn);
  kill?.addEventListener("abort", () => void child.kill("SIGKILL"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      process.off("SIGTERM", passOn).off("SIGHUP", passOn).off("SIGINT", wait);
      clearInterval(watch);
      resolve(code ?? (signal === "SIGINT" ? 130 : 143));
    });
  });
}

/**
 * npm that is stopped leaves without a signal to us: all there is to see is another parent.
 * @param {() => void} act
 */
function onEndOfNpm(act) {
  if (!process.env.npm_lifecycle_event) return undefined;
  const npm = process.ppid;
  return setInterval(() => process.ppid !== npm && act(), 500).unref();
}
