import { setTimeout as sleep } from "node:timers/promises";
import { median, medianOfRatios } from "@holdfast/load";
import { createDatabase } from "@holdfast/local-stack";
import { migrate, openStateStore, type StateStore } from "@holdfast/state-store";
import { describe, eachFigure, type Figures, figuresOf } from "../flat/figures.ts";
import { moveOrders } from "../flat/move-orders.ts";
import { countStatements, forgetStatements } from "../scale/count-statements.ts";
import { startHoldfast } from "../start-holdfast.ts";
import { restingStep, threeSteps } from "../workflow.ts";
import { fillWaits } from "./fill-waits.ts";
import type { PowerContext, StoreWithWaits, WaitFigures } from "./report.ts";

interface MeasuredStore {
  readonly waits: number;
  readonly url: string;
  readonly store: StateStore;
}

/** Orders that warm up a connection. */
const warmUp = 300;
/** Milliseconds until a Scheduler that has just started is at rest. */
const settling = 10_000;

/**
 * Measures what claims and Schedulers at rest cost in a store in which nothing waits, and in one
 * with many open waits, the stores in turn in each round.
 */
export async function measureWaits(context: PowerContext): Promise<WaitFigures> {
  const { options, say } = context;
  await using owner = new AsyncDisposableStack();
  const stores: MeasuredStore[] = [];
  for (const waits of [0, options.pending]) {
    stores.push(await openFilled(owner, context, waits));
    say(`filled: ${waits} open waits`);
  }
  const rounds: Figures[][] = [];
  while (rounds.length < options.rounds) {
    const round: Figures[] = [];
    for (const { store, waits } of stores) {
      const figures = figuresOf(await move(store, options.orders));
      round.push(figures);
      say(`${waits} waits: ${describe(figures)}`);
    }
    rounds.push(round);
  }
  const atRest: number[] = [];
  for (const { url, waits } of stores) {
    atRest.push(await statementsAtRest(context, url));
    say(`${waits} waits: ${atRest.at(-1)} statements at rest in ${options.seconds} s`);
  }
  const [without, filled] = stores.map(
    ({ waits }, index): StoreWithWaits => ({
      waits,
      figures: eachFigure((name) => median(rounds.map((round) => round[index]![name]))),
      statements: atRest[index]!,
    }),
  ) as [StoreWithWaits, StoreWithWaits];
  return {
    seconds: options.seconds,
    stores: [without, filled],
    ratios: eachFigure((name) =>
      medianOfRatios(rounds, ([none, many]) => [many![name], none![name]]),
    ),
    statementsRatio: filled.statements / without.statements,
  };
}

async function openFilled(
  owner: AsyncDisposableStack,
  { serverUrl }: PowerContext,
  waits: number,
): Promise<MeasuredStore> {
  const { url } = owner.use(await createDatabase(serverUrl));
  await migrate(url);
  const options = { url, applicationName: "bench", maxConnections: 2 };
  const store = owner.use(await openStateStore(options));
  await store.registerWorkflow(threeSteps.definition);
  if (waits > 0) await store.registerWorkflow(restingStep.definition);
  const until = "clock_timestamp() + interval '30 days' + random() * interval '300 days'";
  await fillWaits(url, { waits, until });
  await move(store, warmUp);
  return { waits, url, store };
}

const move = (store: StateStore, orders: number) =>
  moveOrders(store, { submits: true, isOver: (moved) => moved >= orders });

/** How many statements one Scheduler sends to the store while there is nothing to do. */
async function statementsAtRest(
  { brokerUrl, options: { seconds, without } }: PowerContext,
  url: string,
): Promise<number> {
  await using owner = new AsyncDisposableStack();
  await startHoldfast(owner, { databaseUrl: url, brokerUrl, agents: { count: 0 }, without });
  await sleep(settling);
  await forgetStatements(url);
  await sleep(seconds * 1_000);
  return await countStatements(url);
}
