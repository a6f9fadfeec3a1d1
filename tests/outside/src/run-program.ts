import { spawn } from "node:child_process";
import { root } from "./public-packages.ts";

export interface RunOptions {
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether a program that fails is no fault: its caller looks at the code. */
  readonly mayFail?: boolean;
}

/** What a program printed, and how it ended. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  /** Both streams, in the order in which they came. */
  readonly output: string;
}

/** Runs a program to its end. Throws what it printed when it fails. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { folder = root, env = {}, mayFail = false }: RunOptions = {},
): Promise<Ran> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, output] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = Promise.withResolvers<number | null>();
  child.once("error", ended.reject).once("close", ended.resolve);
  const code = await ended.promise;
  if (code === 0 || mayFail) return { code, stdout, output };
  throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${output}`);
}
