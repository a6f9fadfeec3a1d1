import { parseArgs } from "node:util";
import { ContractFault } from "@holdfast/domain";

const commands = ["verify", "help"] as const;

/** What was asked for. */
export interface CommandLine {
  readonly command: (typeof commands)[number];
  readonly json: boolean;
  /** A duration, as it was written. */
  readonly since: string | undefined;
  /** Environment variables that an option stands for. */
  readonly environment: Readonly<Record<string, string>>;
}

export const usage = `holdfast <command> [options]

  verify           look for what must never be in the state store, and show witnesses

  --state-store-url URL          instead of STATE_STORE_URL
  --since DURATION               only tasks submitted since then, such as 30m or 24h (verify)
  --json                         for machines

exit code: 0 all is well; 1 something was found; 2 wrong use, or a server that does not answer`;

const variables = {
  "state-store-url": "STATE_STORE_URL",
} as const;

/** Reads the command line. Throws `cli.usage` with what is wrong. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parse(args);
  const [name = "help", ...operands] = positionals;
  const command = commands.find((one) => one === (values.help ? "help" : name));
  if (command === undefined) throw usageFault(`There is no command ${name}`);
  if (operands.length > 0) throw usageFault(`${command} does not take ${operands.join(" ")}`);
  return {
    command,
    json: values.json,
    since: values.since,
    environment: environmentOf(values),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        "state-store-url": { type: "string" },
        since: { type: "string" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false, short: "h" },
      },
    });
  } catch (error) {
    throw usageFault(error instanceof Error ? error.message : String(error));
  }
}

const environmentOf = (
  values: {
    readonly [option in keyof typeof variables]?: string | undefined;
  },
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([option, variable]) => {
      const value = values[option as keyof typeof variables];
      return value === undefined ? [] : [[variable, value]];
    }),
  );

const usageFault = (message: string) => new ContractFault("cli.usage", message);
