import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

export interface BenchOptions {
  readonly mode: "alone" | "peers" | "trace";
  /** How often everything is measured. */
  readonly rounds: number;
  /** How many orders each throughput is measured with. */
  readonly orders: number;
  /** Only one line of JSON on the standard output. */
  readonly json: boolean;
  /** Where the comparison is written down. */
  readonly folder: string;
  /** The peers to compare with, or all. */
  readonly only: readonly string[] | null;
}

export const usage = `pnpm bench [--quick] [--orders N] [--json]
pnpm bench --peers [--rounds N] [--orders N] [--only NAME,NAME] [--out FOLDER] [--json]
pnpm bench --trace [--orders N] [--json]

  --quick         one round
  --peers         beside others that keep work durable, one after the other, round by round
  --trace         where the time of a lone order goes
  --rounds N      how often: 3 alone, 5 beside peers
  --orders N      with how many orders: 5,000 alone, 3,000 beside peers, 300 for a trace
  --only NAMES    beside these peers only
  --out FOLDER    where performance.md, .svg and .json go; docs, if not said
  --json          end with one line of JSON; the rest goes to the standard error`;

const docs = fileURLToPath(new URL("../../../docs", import.meta.url));
const defaults = {
  alone: { rounds: 3, orders: 5_000 },
  peers: { rounds: 5, orders: 3_000 },
  trace: { rounds: 1, orders: 300 },
};

/** Reads the command line. Throws with what is wrong. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      peers: { type: "boolean", default: false },
      trace: { type: "boolean", default: false },
      rounds: { type: "string" },
      orders: { type: "string" },
      only: { type: "string" },
      out: { type: "string", default: docs },
      json: { type: "boolean", default: false },
    },
  });
  const mode = modeOf(values);
  return {
    mode,
    rounds: values.quick ? 1 : (whole("rounds", values.rounds) ?? defaults[mode].rounds),
    orders: whole("orders", values.orders) ?? defaults[mode].orders,
    json: values.json,
    folder: join(values.out),
    only: values.only?.split(",") ?? null,
  };
}

interface Chosen {
  readonly peers: boolean;
  readonly trace: boolean;
}

function modeOf({ peers, trace }: Chosen): BenchOptions["mode"] {
  if (peers && trace) throw new Error("--peers and --trace exclude each other");
  if (peers) return "peers";
  return trace ? "trace" : "alone";
}

function whole(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name} must be a whole number above 0, and not ${text}`);
}
