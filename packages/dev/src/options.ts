import { parseArgs } from "node:util";

/** What `holdfast dev` was asked for. */
export interface DevOptions {
  readonly fresh: boolean;
  readonly help: boolean;
  /** Whether it takes servers that another installation has used. */
  readonly takesOver: boolean;
  /** The first port to try for the API. */
  readonly port: number;
}

export const devUsage = `holdfast dev [options]

Runs the workflows of workflows/ and the Agents of agents/ on this machine, and applies each save.

  --port N    the first port to try for the API, where it is not 3000
  --fresh     delete what an earlier start left in .holdfast/dev
  --take-over use STATE_STORE_URL and BROKER_URL although another installation has used them

exit code: 0 stopped by Ctrl-C; 1 it cannot run; 2 wrong use; 69 a server does not answer`;

/** Reads the arguments. Throws a sentence that says what is wrong. */
export function readDevOptions(args: readonly string[]): DevOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      fresh: { type: "boolean", default: false },
      "take-over": { type: "boolean", default: false },
      help: { type: "boolean", default: false, short: "h" },
      port: { type: "string", default: "3000" },
    },
  });
  const port = Number(values.port);
  if (!/^[0-9]+$/.test(values.port) || port < 1 || port > 65_535) {
    throw new Error(`--port must be a number from 1 to 65535, and is ${values.port}.`);
  }
  return { fresh: values.fresh, help: values.help, takesOver: values["take-over"], port };
}
