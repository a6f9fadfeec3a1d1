import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readOptimisations } from "@holdfast/runtime";

const modes = [
  "peers",
  "trace",
  "scale",
  "slow-agents",
  "submission",
  "overload",
  "outages",
  "rollouts",
  "flat",
  "flow",
  "power",
  "steady",
  "migrate",
  "observability",
  "console",
  "counters",
] as const;

type Mode = "alone" | "against" | (typeof modes)[number];

export interface BenchOptions {
  readonly mode: Mode;
  /** The commit that this version is compared with. */
  readonly against: string | null;
  /** How often everything is measured. */
  readonly rounds: number;
  /** How many orders each throughput is measured with. */
  readonly orders: number;
  /** Whether the standard output has one line of JSON and no more. */
  readonly json: boolean;
  /** The folder in which the comparison is written down. */
  readonly folder: string;
  /** The peers to compare with, or the setups to measure, or all. */
  readonly only: readonly string[] | null;
  /** Optimisations that the services leave out, to see what each gives. */
  readonly without: readonly string[];
  /**
   * How many orders are due in a store with a backlog, and how many rows there are in one with a
   * past.
   */
  readonly pending: number;
  readonly finished: number;
  /** How many waits are due at once. */
  readonly timers: number;
  /** How many signals are sent as fast as they go. */
  readonly signals: number;
  /** How many fairness keys there are, and how many steps of them are claimed. */
  readonly keys: number;
  readonly claims: number;
  /** Seconds for which a snapshot is held; 0: not at all. */
  readonly hold: number;
  /** Minutes for which orders come in steadily, and the part of the highest rate that they are. */
  readonly minutes: number;
  readonly load: number;
  /** Seconds for which submission is overloaded, or one Agent of five is down. */
  readonly seconds: number;
  /**
   * Seconds between two kills of a process while the system is disturbed; 0: none. And the longest
   * outage.
   */
  readonly kills: number;
  readonly longest: number;
  /**
   * Whether counters that rose are a failure, and whether those of this run become the baseline.
   */
  readonly check: boolean;
  readonly write: boolean;
}

export const usage = `pnpm bench [--quick] [--orders N] [--json]
pnpm bench --counters [--check] [--write] [--json]
pnpm bench --against COMMIT [--rounds N] [--orders N] [--only backlog|inFlight|lone] [--json]
pnpm bench --peers [--rounds N] [--orders N] [--only NAME,NAME] [--out FOLDER] [--json]
pnpm bench --trace [--orders N] [--json]
pnpm bench --slow-agents|--submission [--rounds N] [--orders N] [--json]
pnpm bench --overload [--seconds N] [--json]
pnpm bench --outages [--orders N] [--kills SECONDS] [--longest SECONDS] [--json]
pnpm bench --rollouts [--orders N] [--kills SECONDS] [--json]
pnpm bench --scale [--rounds N] [--orders N] [--only NAME,NAME] [--json]

pnpm bench --flat [--rounds N] [--orders N] [--pending N] [--finished N] [--hold SECONDS] [--out FOLDER] [--json]
pnpm bench --steady [--minutes N] [--load PART] [--orders N] [--out FOLDER] [--json]
pnpm bench --flow [--only NAME,NAME] [--orders N] [--pending N] [--keys N] [--claims N] [--seconds N] [--json]
pnpm bench --power [--only NAME,NAME] [--rounds N] [--orders N] [--pending N] [--timers N] [--signals N] [--seconds N] [--json]
pnpm bench --migrate [--finished N] [--json]
pnpm bench --observability [--rounds N] [--orders N] [--out FOLDER] [--json]
pnpm bench --console [--rounds N] [--finished N] [--out FOLDER] [--json]
All but --flat and --migrate take --without NAME,NAME

  --quick         one round
  --counters      what an order costs in units that no machine changes: statements, rows, messages, bytes
  --against COMMIT  beside that commit, in turn, burst by burst, with the interval of the median ratio
  --peers         beside others that keep work durable, one after the other, round by round
  --trace         where the time of a lone order goes
  --scale         what more Schedulers and Agents give, also far from the database, or with little CPU
  --slow-agents   how busy an Agent is kept whose calls take 50 ms
  --submission    how many orders are taken over HTTP, and what that leaves for their processing
  --overload      what becomes of orders when three times as many come in as can be taken
  --outages       what alarms and outages of the broker do to orders that are well, beside kills
  --rollouts      what rolling Agents and workflows forward and back does to orders that are well, beside kills
  --flat          whether claims and replies take longer in a store that is full
  --flow          whether urgent tasks overtake a backlog, fairness keys get their shares, instances of different
                  size are kept busy, an Agent that is down takes nothing from others, and a sick instance
                  leaves its work to others
  --power         what open waits cost others, how many waits end a second when many are due, and how soon
                  and how many of those that wait for signals; how long it takes until 10,000 schedules
                  of one minute have fired
  --steady        whether anything grows while orders come in steadily, and the past is deleted
  --migrate       how many orders wait while a store of 2,000,000 is migrated, and 500 come in per second
  --observability what metrics and traces cost: the setups in turn, round by round
  --console       how soon the pages of the console answer in a browser, in a store that is full
  --rounds N      how often: 3 alone, 5 beside peers, 40 pairs of bursts beside a commit
  --orders N      with how many orders: 5,000 alone and beside peers, 12,000 to scale, 300 for a trace;
                  beside a commit, as many as take two seconds
  --only NAMES    beside these peers only; of a flow: shares, slots, others, sick, urgent;
                  of power: waits, timers, signals, schedules
  --without NAMES leave out these optimisations of the services, such as taskCache,bundles:
                  run it in turn with and without, to see what each gives
  --pending N     how many orders are due in a store with a backlog: 1,000,000; behind urgent ones: 100,000;
                  how many waits are open beside claims: 1,000,000
  --timers N      how many waits are due at once: 100,000
  --signals N     how many signals are sent as fast as they go: 20,000
  --keys N        how many fairness keys: 200
  --claims N      how many of their steps are claimed: 20,000
  --finished N    how many rows of tasks, steps and events are in a store with a past: 20,000,000;
                  how many orders are in a store that is migrated: 2,000,000
  --hold SECONDS  how long a snapshot stays open: 600; 0 for none
  --minutes N     for how long orders come in: 30
  --load PART     how many, as a part of the highest rate: 0.6
  --seconds N     for how long submission is overloaded, or one Agent of five is down: 20;
                  for how long a Scheduler at rest is looked at: 60
  --kills SECONDS   one process is killed with -9 each so many seconds while the system is disturbed: 2; 0 for none
  --longest SECONDS the longest outage of the broker: 40; up to 600
  --check         fail if a counter rose by more than it may, and no line of optimisations.md accepts it
  --write         check, and make the counters the baseline of later checks
  --out FOLDER    where performance.md, .svg and .json go; docs/evidence, if not said
  --json          end with one line of JSON; the rest goes to the standard error`;

const docs = fileURLToPath(new URL("../../docs/evidence", import.meta.url));
const defaults = {
  alone: { rounds: 3, orders: 5_000 },
  peers: { rounds: 5, orders: 5_000 },
  trace: { rounds: 1, orders: 300 },
  scale: { rounds: 3, orders: 12_000 },
  "slow-agents": { rounds: 3, orders: 4_000 },
  submission: { rounds: 3, orders: 20_000 },
  overload: { rounds: 1, orders: 1 },
  outages: { rounds: 1, orders: 1_000 },
  rollouts: { rounds: 1, orders: 1_000 },
  flat: { rounds: 5, orders: 3_000 },
  flow: { rounds: 1, orders: 300 },
  power: { rounds: 5, orders: 3_000 },
  steady: { rounds: 1, orders: 15_000 },
  migrate: { rounds: 1, orders: 500 },
  observability: { rounds: 4, orders: 10_000 },
  console: { rounds: 7, orders: 1 },
  counters: { rounds: 1, orders: 1_200 },
  // How many orders are enough is measured.
  against: { rounds: 40, orders: 0 },
};

const flags = {
  quick: { type: "boolean", default: false },
  peers: { type: "boolean", default: false },
  trace: { type: "boolean", default: false },
  scale: { type: "boolean", default: false },
  "slow-agents": { type: "boolean", default: false },
  submission: { type: "boolean", default: false },
  overload: { type: "boolean", default: false },
  outages: { type: "boolean", default: false },
  rollouts: { type: "boolean", default: false },
  flat: { type: "boolean", default: false },
  flow: { type: "boolean", default: false },
  power: { type: "boolean", default: false },
  steady: { type: "boolean", default: false },
  migrate: { type: "boolean", default: false },
  observability: { type: "boolean", default: false },
  console: { type: "boolean", default: false },
  counters: { type: "boolean", default: false },
  against: { type: "string" },
  check: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
  rounds: { type: "string" },
  orders: { type: "string" },
  only: { type: "string" },
  without: { type: "string" },
  pending: { type: "string" },
  timers: { type: "string" },
  signals: { type: "string" },
  keys: { type: "string" },
  claims: { type: "string" },
  finished: { type: "string" },
  hold: { type: "string" },
  minutes: { type: "string" },
  load: { type: "string" },
  seconds: { type: "string" },
  kills: { type: "string" },
  longest: { type: "string" },
  out: { type: "string", default: docs },
  json: { type: "boolean", default: false },
} as const;

/** Reads the command line. Throws with what is wrong. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { ...flags },
  });
  const mode = modeOf(values);
  const against = values.against ?? null;
  const without = values.without?.split(",") ?? [];
  readOptimisations(values.without);
  if (without.length > 0 && (mode === "flat" || mode === "migrate")) {
    throw new Error(`--${mode} starts no services, so --without has no effect`);
  }
  if (mode !== "counters" && (values.check || values.write)) {
    throw new Error("--check and --write go with --counters");
  }
  if (mode === "counters" && values.orders !== undefined) {
    throw new Error("--counters has a fixed number of orders");
  }
  return {
    mode,
    against,
    rounds: values.quick ? 1 : (whole("rounds", values.rounds) ?? defaults[mode].rounds),
    orders: whole("orders", values.orders) ?? defaults[mode].orders,
    json: values.json,
    folder: join(values.out),
    only: values.only?.split(",") ?? null,
    without,
    pending: whole("pending", values.pending) ?? (mode === "flow" ? 100_000 : 1_000_000),
    timers: whole("timers", values.timers) ?? 100_000,
    signals: whole("signals", values.signals) ?? 20_000,
    keys: whole("keys", values.keys) ?? 200,
    claims: whole("claims", values.claims) ?? 20_000,
    finished: whole("finished", values.finished) ?? (mode === "migrate" ? 2_000_000 : 20_000_000),
    hold: values.hold === "0" ? 0 : (whole("hold", values.hold) ?? 600),
    minutes: whole("minutes", values.minutes) ?? 30,
    load: part("load", values.load) ?? 0.6,
    seconds: whole("seconds", values.seconds) ?? (mode === "power" ? 60 : 20),
    kills: values.kills === "0" ? 0 : (whole("kills", values.kills) ?? 2),
    longest: whole("longest", values.longest) ?? 40,
    check: values.check,
    write: values.write,
  };
}

type Chosen = Readonly<Record<(typeof modes)[number], boolean>> & { readonly against?: string };

function modeOf(chosen: Chosen): Mode {
  const named: readonly Mode[] = chosen.against === undefined ? [] : ["against"];
  const [mode = "alone", other] = [...named, ...modes.filter((name) => chosen[name])];
  if (other !== undefined) throw new Error(`--${mode} and --${other} exclude each other`);
  return mode;
}

function whole(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name} must be a whole number above 0, and not ${text}`);
}

function part(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (number > 0 && number <= 1) return number;
  throw new Error(`--${name} must be above 0 and at most 1, and not ${text}`);
}
