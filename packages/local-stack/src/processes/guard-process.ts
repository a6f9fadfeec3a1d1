import { spawn } from "node:child_process";

/**
 * Lets a process die with us, even when we are killed with -9: a shell waits for the end of a pipe
 * that only we hold open, and then sends the signal. Dispose it once the process has ended.
 */
export function guardProcess(pid: number, signal: NodeJS.Signals): Disposable {
  const script = 'while read -r _; do :; done; kill -s "$1" "$2"';
  const guard = spawn("sh", ["-c", script, "guard", signal.replace("SIG", ""), String(pid)], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => {});
  guard.unref();
  return { [Symbol.dispose]: () => void guard.kill("SIGKILL") };
}
