import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A service of this repository, started from its sources. */
export interface ServiceProcess extends AsyncDisposable {
  readonly pid: number;
}

interface Start {
  /** Below the repository's root. */
  readonly main: string;
  readonly env: Readonly<Record<string, string>>;
  /** The log message that says that it is up. */
  readonly upWhen: string;
}

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Starts a service and waits until it says that it is up. */
export async function startService({ main, env, upWhen }: Start): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ["--conditions=@holdfast/source", main], {
    cwd: root,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await said(child, upWhen, main);
  return {
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** Waits for a log message, then goes on reading: a full pipe would stop the service. */
async function said(child: ChildProcess, message: string, main: string): Promise<void> {
  const { promise: up, resolve, reject } = Promise.withResolvers<void>();
  const early = () => reject(new Error(`${main} ended before it was up`));
  child.once("exit", early);
  const lines = createInterface({ input: child.stdout! });
  lines.on("line", (line) => {
    if (line.includes(`"msg":"${message}"`)) resolve();
  });
  await up;
  child.off("exit", early);
}
