import { Fault } from "@holdfast/domain";
import { holdfastVersion } from "@holdfast/runtime";
import { adviceFor } from "./advice.ts";
import type { Answer, Command } from "./command.ts";
import { type CommandLine, readCommandLine, usage } from "./command-line.ts";
import { docs } from "./docs/docs.ts";
import { doctor } from "./doctor/doctor.ts";
import { mcp } from "./mcp/mcp.ts";
import { environmentFor } from "./settings.ts";
import { test } from "./test/test.ts";
import { verify } from "./verify/verify.ts";
import { why } from "./why/why.ts";

/** What is to be printed where, and the exit code. */
export interface Printed {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

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

/** Commands that read their arguments themselves. */
const ownCommands: Readonly<
  Record<string, (args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) => Promise<Answer>>
> = { docs, mcp, test };

/** Wrong use, or a server that does not answer. */
const unable = 2;

/** Does what the command line says. Throws only for a bug. */
export async function runCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Printed> {
  try {
    const [name = "", ...rest] = args;
    if (Object.hasOwn(ownCommands, name)) return await runOwn(name, rest, env);
    const line = readCommandLine(args);
    const answer = await commands[line.command](line, environmentFor(line, env));
    return { exitCode: answer.exitCode, stdout: print(answer, line), stderr: "" };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { exitCode: unable, stdout: "", stderr: `${adviceFor(error)}\n` };
  }
}

/** A command that reads its arguments itself has a usage text of its own, and points to it. */
async function runOwn(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Printed> {
  try {
    const said = await ownCommands[name]!(args, process.cwd(), env);
    const stdout = said.text === "" ? "" : print(said, { json: args.includes("--json") });
    return { exitCode: said.exitCode, stdout, stderr: "" };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "cli.usage") throw error;
    const stderr = `${error.message}. See holdfast ${name} --help\n`;
    return { exitCode: unable, stdout: "", stderr };
  }
}

const print = ({ text, json }: Answer, line: Pick<CommandLine, "json">): string =>
  `${line.json ? JSON.stringify(json, null, 2) : text}\n`;
