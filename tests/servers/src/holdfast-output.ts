import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repository } from "./program-at.ts";

/** The command, as far as it is used here. It exports no module, for it is a program. */
interface Command {
  readonly runHoldfast: (args: readonly string[], io: object) => Promise<number>;
}

/**
 * What `holdfast` prints with these arguments and no environment. It runs from its sources, in this
 * process.
 */
export async function holdfastOutput(...args: readonly string[]): Promise<string> {
  const file = join(repository, "packages/cli/src/run-holdfast.ts");
  const { runHoldfast } = (await import(pathToFileURL(file).href)) as Command;
  let output = "";
  const write = (text: string): void => {
    output += text;
  };
  const pipes = { isTerminal: false, isOutputTerminal: false, ask: null };
  await runHoldfast(args, { ...pipes, env: {}, out: write, err: write });
  return output;
}
