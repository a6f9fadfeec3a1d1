import { mkdir, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { median, medianOfRatios, rounded } from "@holdfast/load";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import { migrate, openStateStore, type StateStore } from "@holdfast/state-store";
import type { BenchOptions } from "../options.ts";
import { settingOf } from "../setting.ts";
import { threeSteps } from "../workflow.ts";
import { describe, eachFigure, type Figures, figuresOf } from "./figures.ts";
import { type Filling, fillStore, rowsOfFinished } from "./fill-store.ts";
import { makeWalFiles } from "./make-wal-files.ts";
import { measureHeld } from "./measure-held.ts";
import { begun, moveOrders } from "./move-orders.ts";
import { type FlatCase, type FlatResult, report } from "./report.ts";

interface FilledStore {
  readonly title: string;
  readonly filling: Filling;
  readonly url: string;
  readonly store: StateStore;
}

/** One of each, in their order. */
type Round = readonly Figures[];

type Say = (line: string) => void;

const warmUp = 300;

/**
 * Measures whether claims and replies take longer where much is due, where much is over, and where
 * another transaction holds a snapshot; writes down what came out, and resolves to the sum of it.
 */
export async function measureFlat(
  options: BenchOptions,
  say: Say,
): Promise<Readonly<Record<string, number>>> {
  const load = rounded(loadavg()[0] ?? 0, 1);
  await using owner = new AsyncDisposableStack();
  const dataFolder = join(holdfastFolder(), "bench-flat");
  const { postgres } = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  await makeWalFiles(postgres.url);
  const stores: FilledStore[] = [];
  for (const [title, filling] of fillingsOf(options)) {
    stores.push({ title, filling, ...(await openFilled(owner, postgres.url, filling)) });
    say(`filled: ${title}`);
  }
  const rounds: Round[] = [];
  while (rounds.length < options.rounds) rounds.push(await measureRound(stores, options, say));
  const { store, url } = stores[0]!;
  const seconds = options.hold;
  const result: FlatResult = {
    ...(await settingOf(postgres.url)),
    load,
    rounds: options.rounds,
    batches: Math.ceil(options.orders / begun),
    steps: 3 * begun,
    cases: stores.map(({ title }, index) => toCase(title, index, rounds)),
    held: seconds === 0 ? null : await measureHeld({ store, url, seconds, say }),
  };
  await writeDown(result, options.folder);
  say(report(result));
  return summaryOf(result);
}

const fillingsOf = ({
  pending,
  finished,
}: BenchOptions): readonly (readonly [string, Filling])[] => [
  ["empty", { pending: 0, finished: 0 }],
  [`${millions(pending)} orders are due`, { pending, finished: 0 }],
  [
    `${millions(finished)} rows of finished orders in tasks, steps and events`,
    { pending: 0, finished: Math.ceil(finished / rowsOfFinished) },
  ],
];

const millions = (count: number): string => `${rounded(count / 1_000_000, 2)} million`;

async function openFilled(owner: AsyncDisposableStack, serverUrl: string, filling: Filling) {
  const { url } = owner.use(await createDatabase(serverUrl));
  await migrate(url);
  const options = { url, applicationName: "bench", maxConnections: 2 };
  const store = owner.use(await openStateStore(options));
  await store.registerWorkflow(threeSteps.definition);
  await fillStore(url, filling);
  await move({ store, filling }, warmUp);
  return { store, url };
}

const move = ({ store, filling }: Pick<FilledStore, "store" | "filling">, orders: number) =>
  moveOrders(store, { submits: filling.pending === 0, isOver: (moved) => moved >= orders });

async function measureRound(
  stores: readonly FilledStore[],
  { orders }: BenchOptions,
  say: Say,
): Promise<Round> {
  const round: Figures[] = [];
  for (const one of stores) {
    const figures = figuresOf(await move(one, orders));
    round.push(figures);
    say(`${one.title}: ${describe(figures)}`);
  }
  return round;
}

/** The first store is the empty one, which the others are compared with. */
const toCase = (title: string, index: number, rounds: readonly Round[]): FlatCase => ({
  title,
  figures: eachFigure((name) => median(rounds.map((round) => round[index]![name]))),
  ratios:
    index === 0
      ? null
      : eachFigure((name) =>
          medianOfRatios(rounds, (round) => [round[index]![name], round[0]![name]]),
        ),
});

async function writeDown(result: FlatResult, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write("performance-flat.json", `${JSON.stringify(result, null, 2)}\n`);
  await write("performance-flat.md", report(result));
}

const summaryOf = ({ cases: [, backlog, past], held }: FlatResult) => ({
  backlogClaimP99Ms: backlog?.figures.claimP99 ?? 0,
  backlogReplyP99Ms: backlog?.figures.replyP99 ?? 0,
  pastClaimRatio: past?.ratios?.claimP50 ?? 0,
  pastReplyRatio: past?.ratios?.replyP50 ?? 0,
  heldClaimMaxMs: Math.max(0, ...(held?.parts ?? []).map(({ claimMax }) => claimMax)),
});
