import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

export interface SimulationOptions {
  readonly schedules: number;
  /** The seed of the first schedule; the others follow. */
  readonly from: number;
  /** The one schedule whose story is printed; null: all of them, without. */
  readonly seed: number | null;
  /** Whether each mutant is looked for as well. */
  readonly mutants: boolean;
  /** The tenth of the mutants that is looked for, from 0 to 9; null: all of them. */
  readonly tenth: number | null;
  /** How many run at the same time. */
  readonly threads: number;
  /** Whether the standard output has one line of JSON and no more. */
  readonly json: boolean;
}

export const usage = `npm run simulate -- [--schedules N] [--from SEED] [--mutants [--tenth N]] [--threads N] [--json]
npm run simulate -- --seed SEED [--json]

  --schedules N   how many: 10,000
  --from SEED     the seed of the first one, 1; the others follow
  --mutants       look for each mutant as well
  --tenth N       look for that tenth of the mutants alone, from 0 to 9
  --threads N     how many at the same time; as many as there are processors
  --seed SEED     run this one schedule and tell its story
  --json          one line of JSON, and nothing else`;

/** Reads the command line. Throws with what is wrong. */
export function readOptions(args: readonly string[]): SimulationOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      schedules: { type: "string", default: "10000" },
      from: { type: "string", default: "1" },
      seed: { type: "string" },
      threads: { type: "string", default: String(availableParallelism()) },
      mutants: { type: "boolean", default: false },
      tenth: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const { mutants, json, seed, tenth } = values;
  if (tenth !== undefined && !/^[0-9]$/.test(tenth)) {
    throw new Error(`--tenth must be a number from 0 to 9, and not ${tenth}`);
  }
  return {
    schedules: whole("schedules", values.schedules),
    from: whole("from", values.from),
    seed: seed === undefined ? null : whole("seed", seed),
    mutants,
    tenth: tenth === undefined ? null : Number(tenth),
    threads: whole("threads", values.threads),
    json,
  };
}

function whole(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name} must be a whole number above 0, and not ${text}`);
}
