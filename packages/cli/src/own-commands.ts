import { Fault } from "@holdfast/domain";
import { adviceFor } from "./advice.ts";
import type { Answer, Printed } from "./command.ts";
import { conformance } from "./conformance/conformance.ts";
import { docs } from "./docs/docs.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { mcp } from "./mcp/mcp.ts";
import { test } from "./test/test.ts";
import { topology } from "./topology/topology.ts";

/** A command that reads its own options. Throws a `Fault` when it cannot answer. */
export type OwnCommand = (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<Answer>;

/** Commands with options of their own, by name. */
const ownCommands: Readonly<Record<string, OwnCommand>> = {
  conformance,
  docs,
  mcp,
  test,
  topology,
};

/** The command of that name; undefined: there is none. */
export const ownCommandOf = (name: string): OwnCommand | undefined =>
  Object.hasOwn(ownCommands, name) ? ownCommands[name] : undefined;

/** Does what the arguments say. Throws only for a bug. */
export async function runOwn(
  { name, command }: { readonly name: string; readonly command: OwnCommand },
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Printed> {
  const isJson = args.includes("--json");
  try {
    const { exitCode, text, json } = await command(args, env);
    const said = isJson ? JSON.stringify(json, null, 2) : text;
    return { exitCode, stdout: said === "" ? "" : `${said}\n`, stderr: "" };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code } = error;
    const message =
      code === "cli.usage" ? `${error.message}. See holdfast ${name} --help` : adviceFor(error);
    const stdout = isJson ? `${JSON.stringify({ error: { code, message } }, null, 2)}\n` : "";
    return { exitCode: exitCodeOf(error), stdout, stderr: `${message}\n` };
  }
}
