import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { percentile } from "@holdfast/load";
import { createDatabase, type LocalStack, queryOnce } from "@holdfast/local-stack";
import { cpuPerOrder } from "../cpu.ts";
import type { Figures } from "./comparison.ts";
import type { Contender } from "./contenders.ts";
import { startContender } from "./start-contender.ts";

/** How many orders. */
export interface Sizes {
  /** Orders of each throughput. */
  readonly orders: number;
  /** Unfinished at any time, where they are limited. */
  readonly width: number;
  readonly lone: number;
  /** The warm-up: as many orders at a time, again and again for so many seconds; then lone ones. */
  readonly warmUp: { readonly orders: number; readonly seconds: number; readonly lone: number };
}

export interface Conditions {
  readonly stack: LocalStack;
  /** The folder of the servers. */
  readonly folder: string;
  readonly peersFolder: string;
  readonly sizes: Sizes;
  /** Optimisations that Holdfast leaves out. */
  readonly without: readonly string[];
}

/**
 * One turn of one contender. It has the machine to itself, a new database, and servers that have
 * written down what others left to them; afterwards nothing of it runs or remains but its log.
 */
export async function measureContender(
  contender: Contender,
  { stack, folder, peersFolder, sizes, without }: Conditions,
): Promise<Figures> {
  const { url } = stack.postgres;
  await using owner = new AsyncDisposableStack();
  const place = join(folder, "contender");
  await mkdir(place, { recursive: true });
  owner.defer(() => rm(place, { recursive: true, force: true }));
  const database = owner.use(await createDatabase(url));
  const running = await startContender(owner, contender, {
    folder,
    env: {
      DATABASE_URL: database.url,
      BROKER_URL: stack.broker.url,
      FOLDER: place,
      PEERS_FOLDER: peersFolder,
      HOLDFAST_WITHOUT: without.join(","),
    },
  });
  const { orders, width, lone, warmUp } = sizes;
  // What is compiled while it runs is slow for its first seconds: each contender gets as many of
  // them.
  const warmAt = performance.now() + warmUp.seconds * 1_000;
  do await running.measure({ kind: "backlog", orders: warmUp.orders });
  while (performance.now() < warmAt);
  // Dead rows of the backlog must not slow down the lone orders.
  await queryOnce(database.url, "vacuum");
  await queryOnce(url, "checkpoint");
  await running.measure({ kind: "lone", orders: warmUp.lone });

  // The lone ones first: after a crowd Postgres is busy with tidying up for a while.
  const times = await running.measure({ kind: "lone", orders: lone });
  const inFlight = await running.measure({ kind: "inFlight", orders, width });
  const before = running.cpu();
  const backlog = await running.measure({ kind: "backlog", orders });
  const cpu = cpuPerOrder(before, running.cpu(), orders);
  return {
    backlog: perSecond(orders, backlog),
    inFlight: perSecond(orders, inFlight),
    loneP50: percentile(times, 0.5),
    loneP99: percentile(times, 0.99),
    cpu,
  };
}

const perSecond = (orders: number, [ms = Number.NaN]: readonly number[]): number =>
  (orders / ms) * 1_000;
