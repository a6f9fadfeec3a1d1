import { parseArgs } from "node:util";

export interface UpgradeOptions {
  /** The revision of the release before; null: the newest tag of a release. */
  readonly from: string | null;
  /**
   * The release of RabbitMQ to which a system of this release of Holdfast moves; null: Holdfast is
   * upgraded.
   */
  readonly rabbitmq: string | null;
  /** How long orders are submitted, in all phases together. */
  readonly seconds: number;
  /** Orders a second, over HTTP and by message. */
  readonly rate: number;
  readonly seed: number;
  /** Whether the run is written down in `docs/evidence/upgrade.md`. */
  readonly page: boolean;
  /** End with one line of JSON on the standard output. */
  readonly json: boolean;
}

export const usage = `npm run upgrade-run -- [--from REV | --rabbitmq 4.0] [--seconds N] [--rate N] [--seed N] [--no-page] [--json]

  --from REV    the release before: any revision of this repository; the newest tag v*, unless given
  --rabbitmq V  move this release from a cluster of the RabbitMQ that is installed here to one of that
                release, which Debian has: 4.0 or 4.3
  --seconds N   how long orders are submitted, in all phases together: 600
  --rate N      orders a second: 10, and a fifth as many by SQL
  --seed N      kills in the same order as another run with this seed
  --no-page     leaves docs/evidence/upgrade.md as it is
  --json        end with one line of JSON; the rest goes to the standard error`;

/** Reads the command line. Throws with what is wrong. */
export function readOptions(args: readonly string[]): UpgradeOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      from: { type: "string" },
      rabbitmq: { type: "string" },
      seconds: { type: "string", default: "600" },
      rate: { type: "string", default: "10" },
      seed: { type: "string" },
      "no-page": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const { from = null, rabbitmq = null, seed, json } = values;
  if (from !== null && rabbitmq !== null) throw new Error("--from or --rabbitmq, and not both");
  if (from?.startsWith("-") === true || from === "") {
    throw new Error(`--from must be a revision, and not ${from}`);
  }
  return {
    from,
    rabbitmq,
    seconds: whole("seconds", values.seconds),
    rate: whole("rate", values.rate),
    seed: seed === undefined ? 1 + Math.floor(Math.random() * 1_000_000) : whole("seed", seed),
    page: !values["no-page"],
    json,
  };
}

function whole(name: string, text: string): number {
  const number = Number(text);
  if (text !== "" && Number.isSafeInteger(number) && number >= 1) return number;
  throw new Error(`--${name} must be a whole number from 1 on, and not ${text}`);
}
