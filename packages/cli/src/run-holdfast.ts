import { isVerb, runVerb } from "./api/run-verb.ts";
import type { Io } from "./api/verb.ts";

/**
 * Does what the arguments of `holdfast` say; resolves to the exit code. Throws only for a bug.
 *
 * A verb needs only the client. What the other commands need takes a second to load from sources.
 */
export async function runHoldfast(args: readonly string[], io: Io): Promise<number> {
  if (isVerb(args)) return runVerb(args, io);
  if (args[0] === "dev") {
    const { dev } = await import("./dev.ts");
    return dev(args.slice(1), io);
  }
  const { runCommand } = await import("./run-command.ts");
  const { exitCode, stdout, stderr } = await runCommand(args, io.env);
  io.out(stdout);
  io.err(stderr);
  return exitCode;
}
