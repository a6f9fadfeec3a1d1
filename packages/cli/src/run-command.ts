import { Fault } from "@holdfast/domain";
import { holdfastVersion } from "@holdfast/runtime";
import { adviceFor } from "./advice.ts";
import type { Answer, Command, Printed } from "./command.ts";
import { type CommandLine, readCommandLine, usage } from "./command-line.ts";
import { doctor } from "./doctor/doctor.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { ownCommandOf, runOwn } from "./own-commands.ts";
import { environmentFor } from "./settings.ts";
import { verify } from "./verify/verify.ts";
import { why } from "./why/why.ts";

const help: Command = async () => ({ exitCode: 0, text: usage, json: { usage } });

const version: Command = async () => {
  const found = holdfastVersion();
  return { exitCode: 0, text: found, json: { version: found } };
};

const commands: Readonly<Record<CommandLine["command"], Command>> = {
  verify,
  doctor,
  why,
  version,
  help,
};

/** Does what the command line says. Throws only for a bug. */
export async function runCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Printed> {
  const [name = "", ...rest] = args;
  const command = ownCommandOf(name);
  if (command !== undefined) return runOwn({ name, command }, rest, env);
  try {
    const line = readCommandLine(args);
    const answer = await commands[line.command](line, environmentFor(line, env));
    return { exitCode: answer.exitCode, stdout: print(answer, line), stderr: "" };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { exitCode: exitCodeOf(error), stdout: "", stderr: `${adviceFor(error)}\n` };
  }
}

const print = ({ text, json }: Answer, line: Pick<CommandLine, "json">): string =>
  `${line.json ? JSON.stringify(json, null, 2) : text}\n`;
