import { parseArgs } from "node:util";
import { type InputClassName, inputClassNames } from "./inputs/hostile-input.ts";

export interface FuzzCommand {
  readonly seconds: number;
  readonly rate: number;
  readonly orders: number;
  readonly seed: number;
  readonly from: number;
  readonly classes: readonly InputClassName[];
  /** Generated schemas that are timed, while nothing is started; 0: the system is fuzzed. */
  readonly schemas: number;
  /** End with one line of JSON on the standard output. */
  readonly json: boolean;
}

export const usage = `pnpm fuzz [--seconds N] [--rate N] [--orders N] [--seed N] [--from N] [--class NAME] [--schemas N] [--json]

  --seconds N   how long hostile inputs are sent: 60; before that, a third of it with orders alone
  --rate N      inputs a second at most: 1,900
  --orders N    orders a second: 20
  --seed N      sends the same inputs as another run with this seed, but for ids of orders
  --from N      the number of the first input: 0. To narrow down which one did harm
  --class NAME  inputs of this class alone; several times: of several. ${inputClassNames.join(", ")}
  --schemas N   starts nothing, and times so many generated schemas, from --from on
  --json        end with one line of JSON; the rest goes to the standard error`;

/** Reads the command line. Throws with what is wrong. */
export function readOptions(args: readonly string[]): FuzzCommand {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: "60" },
      rate: { type: "string", default: "1900" },
      orders: { type: "string", default: "20" },
      seed: { type: "string" },
      from: { type: "string", default: "0" },
      schemas: { type: "string", default: "0" },
      class: { type: "string", multiple: true, default: [...inputClassNames] },
      json: { type: "boolean", default: false },
    },
  });
  const { seed, json } = values;
  return {
    seconds: whole("seconds", values.seconds, 1),
    rate: whole("rate", values.rate, 1),
    orders: whole("orders", values.orders, 1),
    seed: seed === undefined ? 1 + Math.floor(Math.random() * 1_000_000) : whole("seed", seed, 1),
    from: whole("from", values.from, 0),
    schemas: whole("schemas", values.schemas, 0),
    classes: values.class.map(classNamed),
    json,
  };
}

function classNamed(name: string): InputClassName {
  const found = inputClassNames.find((one) => one === name);
  if (found !== undefined) return found;
  throw new Error(`--class is one of ${inputClassNames.join(", ")}, and not ${name}`);
}

function whole(name: string, text: string, least: number): number {
  const number = Number(text);
  if (text !== "" && Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`--${name} must be a whole number from ${least} on, and not ${text}`);
}
