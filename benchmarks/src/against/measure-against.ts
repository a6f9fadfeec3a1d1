import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { markdownTable, rounded, sum } from "@holdfast/load";
import {
  createDatabase,
  holdfastFolder,
  type LocalStack,
  startLocalStack,
} from "@holdfast/local-stack";
import { countInStore, prepareCounting, type StoreCounts } from "../counters/store-counts.ts";
import type { BenchOptions } from "../options.ts";
import { type Program, startProgram } from "../peers/start-program.ts";
import { type Setting, settingOf } from "../setting.ts";
import type { Measurement } from "../subject.ts";
import { fewestValues, type MedianInterval, medianInterval } from "./median-interval.ts";
import { thisVersion, type Version, versionOf } from "./versions.ts";

type Kind = Measurement["kind"];
const kinds: readonly Kind[] = ["backlog", "inFlight", "lone"];

/** Seconds of one burst. */
const burstSeconds = 2;
/** Seconds of bursts that are not counted, of both versions together. */
const warmUpSeconds = 20;
const warmUpOrders = { backlog: 1_000, inFlight: 1_000, lone: 100 };
const width = 100;
/** What is said of two versions whose interval is within it. */
const near = { low: 0.95, high: 1.05 };

interface Running {
  readonly version: Version;
  readonly databaseUrl: string;
  readonly program: Program;
}

export interface AgainstResult extends MedianInterval {
  readonly setting: Setting;
  readonly ours: string;
  readonly theirs: string;
  readonly kind: Kind;
  /** Orders of each burst. */
  readonly orders: number;
  /** How many times as fast ours was, pair by pair. */
  readonly ratios: readonly number[];
}

/**
 * Measures this version beside another commit. Both stand ready at once, each with a database and a
 * virtual host of its own, and process bursts of orders in turn: A B, B A, A B, and so on. What
 * slows the machine down slows both bursts of a pair, so the pair's ratio keeps what the versions
 * differ in.
 */
export async function measureAgainst(
  { against, rounds, orders: given, only, without }: BenchOptions,
  say: (line: string) => void,
): Promise<AgainstResult> {
  const kind = kindOf(only);
  if (rounds < fewestValues) throw new Error(`--against needs ${fewestValues} rounds at least`);
  const versions = [await thisVersion(), await versionOf(against ?? "HEAD", say)] as const;
  await using owner = new AsyncDisposableStack();
  const dataFolder = join(holdfastFolder(), "bench-against");
  const stack = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  const place = { owner, stack, dataFolder, without };
  const ours = await start(versions[0], "ours", place);
  const theirs = await start(versions[1], "theirs", place);
  say(`${ours.version.title} beside ${theirs.version.title}: warming up …`);
  const rate = await warmUp([ours, theirs], kind);
  await showStoreCounts([ours, theirs], say);

  const orders = given === 0 ? Math.ceil(rate * burstSeconds) : given;
  const ratios: number[] = [];
  for (let pair = 1; pair <= rounds; pair += 1) {
    const [first, second] = pair % 2 === 1 ? [ours, theirs] : [theirs, ours];
    const times = new Map([[first, await burst(first, kind, orders)]]);
    times.set(second, await burst(second, kind, orders));
    const [ourMs = Number.NaN, theirMs = Number.NaN] = [times.get(ours), times.get(theirs)];
    ratios.push(theirMs / ourMs);
    const rateOf = (ms: number) => ((orders / ms) * 1_000).toFixed();
    say(
      `pair ${pair}: ${rateOf(ourMs)} and ${rateOf(theirMs)} orders/s, ratio ${(theirMs / ourMs).toFixed(3)}`,
    );
  }
  const result = {
    setting: await settingOf(stack.postgres.url),
    ours: ours.version.title,
    theirs: theirs.version.title,
    kind,
    orders,
    ...roundedInterval(medianInterval(ratios)),
    ratios: ratios.map((ratio) => rounded(ratio, 3)),
  };
  say(sentenceOf(result));
  return result;
}

function kindOf(only: BenchOptions["only"]): Kind {
  const [name = "backlog", more] = only ?? [];
  const kind = kinds.find((one) => one === name);
  if (kind !== undefined && more === undefined) return kind;
  throw new Error(`--only takes one of ${kinds.join(", ")}, and not ${only?.join()}`);
}

interface Place {
  readonly owner: AsyncDisposableStack;
  readonly stack: LocalStack;
  readonly dataFolder: string;
  readonly without: readonly string[];
}

async function start(
  version: Version,
  name: "ours" | "theirs",
  { owner, stack, dataFolder, without }: Place,
): Promise<Running> {
  const { url: databaseUrl } = owner.use(await createDatabase(stack.postgres.url));
  const folder = join(dataFolder, name);
  await mkdir(folder, { recursive: true });
  const env = {
    DATABASE_URL: databaseUrl,
    BROKER_URL: await vhostOf(stack.broker, name),
    FOLDER: folder,
    HOLDFAST_WITHOUT: without.join(","),
  };
  const logFile = join(dataFolder, `${name}.log`);
  const program = owner.use(await startProgram(version.program, { env, logFile }));
  await prepareCounting(databaseUrl);
  return { version, databaseUrl, program };
}

/** Makes a virtual host for the user of the broker, and resolves to its URL. */
async function vhostOf(broker: LocalStack["broker"], name: string): Promise<string> {
  const url = new URL(broker.url);
  const everything = [".*", ".*", ".*"];
  await broker.rabbitmqctl("add_vhost", name);
  await broker.rabbitmqctl(
    "set_permissions",
    "-p",
    name,
    decodeURIComponent(url.username),
    ...everything,
  );
  url.pathname = `/${name}`;
  return url.href;
}

/** Both versions in turn. Resolves to the orders a second of the last bursts of both. */
async function warmUp(versions: readonly Running[], kind: Kind): Promise<number> {
  const orders = warmUpOrders[kind];
  const until = performance.now() + warmUpSeconds * 1_000;
  for (;;) {
    let ms = 0;
    for (const running of versions) ms += await burst(running, kind, orders);
    if (performance.now() > until) return ((versions.length * orders) / ms) * 1_000;
  }
}

/** Milliseconds that so many orders took. */
async function burst({ program }: Running, kind: Kind, orders: number): Promise<number> {
  return sum(await program.measure(measurementOf(kind, orders)));
}

const measurementOf = (kind: Kind, orders: number): Measurement =>
  kind === "inFlight" ? { kind, orders, width } : { kind, orders };

/** What an order costs the store, which needs nothing of the versions but their rows and roles. */
async function showStoreCounts(
  versions: readonly Running[],
  say: (line: string) => void,
): Promise<void> {
  const orders = 100;
  const counts: StoreCounts[] = [];
  for (const running of versions) {
    const act = () => burst(running, "lone", orders);
    counts.push(await countInStore(running.databaseUrl, { orders, inTurn: true }, act));
  }
  const row = (title: string, figure: (found: StoreCounts) => number | undefined) => [
    title,
    ...counts.map((found) => ((figure(found) ?? 0) / orders).toFixed(2)),
  ];
  const table = markdownTable(
    ["for a lone order", ...versions.map(({ version }) => version.title)],
    [
      row("statements of the Scheduler", ({ roles }) => roles["holdfast_scheduler"]?.statements),
      row("pages that it looked up", ({ roles }) => roles["holdfast_scheduler"]?.buffers),
      row("versions of rows", ({ rows }) => rows),
      row("entries in indexes", ({ indexEntries }) => indexEntries),
      row("bytes of the log", ({ walBytes }) => walBytes),
    ],
  );
  say(table);
}

const roundedInterval = ({ median, low, high }: MedianInterval): MedianInterval => ({
  median: rounded(median, 3),
  low: rounded(low, 3),
  high: rounded(high, 3),
});

function sentenceOf({
  ours,
  theirs,
  kind,
  orders,
  ratios,
  median,
  low,
  high,
}: AgainstResult): string {
  const figures = `${ours} was ${median} times as fast as ${theirs} (95 % interval ${low} to ${high}; ${ratios.length} pairs, ${orders} orders each, ${kind})`;
  if (low >= near.low && high <= near.high) return `${figures}: within 5 %`;
  if (low > 1) return `${figures}: faster`;
  return high < 1 ? `${figures}: slower` : `${figures}: neither is shown to be faster`;
}
