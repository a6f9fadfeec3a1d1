import type { Io } from "../src/api/verb.ts";
import { runHoldfast } from "../src/run-holdfast.ts";

/** What a command printed where, and how it ended. */
export interface Printed {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of `holdfast` in this process, as a pipe would. */
export async function runCommand(
  args: readonly string[],
  env: Io["env"],
  person: Partial<Pick<Io, "ask" | "isOutputTerminal" | "stdin">> = {},
): Promise<Printed> {
  let [stdout, stderr] = ["", ""];
  const io: Io = {
    env,
    isTerminal: false,
    isOutputTerminal: false,
    out: (text) => void (stdout += text),
    err: (text) => void (stderr += text),
    stdin: async () => "{}",
    ask: null,
    ...person,
  };
  const exitCode = await runHoldfast(args, io);
  return { exitCode, stdout, stderr };
}
