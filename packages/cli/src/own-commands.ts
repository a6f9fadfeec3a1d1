import { Fault } from "@holdfast/domain";
import type { Answer, Printed } from "./command.ts";
import { conformance } from "./conformance/conformance.ts";
import { topology } from "./topology/topology.ts";

/** A command that reads its own options. Throws a `Fault` when it cannot answer. */
export type OwnCommand = (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<Answer>;

/** Commands with options of their own, by name. */
export const ownCommands: Readonly<Record<string, OwnCommand>> = { conformance, topology };

/** The exit code of each class of failure; 1 for any other. */
const exitCodes: Readonly<Record<string, number>> = {
  "cli.usage": 2,
  "cli.agent_not_found": 3,
  "broker.refused": 5,
  "broker.unreachable": 69,
  "store.unavailable": 69,
};

/** Does what the arguments say. Throws only for a bug. */
export async function runOwn(
  command: OwnCommand,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Printed> {
  const isJson = args.includes("--json");
  try {
    const { exitCode, text, json } = await command(args, env);
    return { exitCode, stdout: `${isJson ? JSON.stringify(json, null, 2) : text}\n`, stderr: "" };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message } = error;
    const stdout = isJson ? `${JSON.stringify({ error: { code, message } }, null, 2)}\n` : "";
    return { exitCode: exitCodes[code] ?? 1, stdout, stderr: `${message}\n` };
  }
}
