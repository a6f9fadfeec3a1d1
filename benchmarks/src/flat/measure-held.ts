import { setTimeout as sleep } from "node:timers/promises";
import { rounded } from "@holdfast/load";
import { queryOnce } from "@holdfast/local-stack";
import type { StateStore } from "@holdfast/state-store";
import { describe, eachFigure, figuresOf } from "./figures.ts";
import { moveOrders } from "./move-orders.ts";
import type { Held, HeldPart } from "./report.ts";

interface HeldOptions {
  readonly store: StateStore;
  readonly url: string;
  readonly seconds: number;
  readonly say: (line: string) => void;
}

/** Equal times for which a snapshot is held, and those that there are before. */
const times = { before: 3, held: 10 };

/**
 * Holds a snapshot, and an id, beside one who works as fast as it can; and has that one work for a
 * while without it, to tell what the machine does from what the snapshot does.
 */
export async function measureHeld({ store, url, seconds, say }: HeldOptions): Promise<Held> {
  let goesOn = true;
  const looking = lookMeanwhile(store, () => goesOn);
  const each = (seconds * 1_000) / times.held;
  const measure = async (title: string, count: number): Promise<readonly HeldPart[]> => {
    const parts: HeldPart[] = [];
    while (parts.length < count) parts.push(await measurePart(store, { title, lasts: each, say }));
    return parts;
  };
  const before = await measure("before", times.before);
  const holding = queryOnce(
    url,
    `begin isolation level repeatable read; select pg_current_xact_id(); select pg_sleep(${seconds})`,
  );
  const parts = await measure("held", times.held);
  goesOn = false;
  await holding;
  await looking;
  return { seconds, before, parts };
}

interface PartOptions extends Pick<HeldOptions, "say"> {
  readonly title: string;
  /** Milliseconds. */
  readonly lasts: number;
}

async function measurePart(
  store: StateStore,
  { title, lasts, say }: PartOptions,
): Promise<HeldPart> {
  const until = performance.now() + lasts;
  const isOver = () => performance.now() > until;
  const moved = await moveOrders(store, { submits: true, isOver });
  const figures = figuresOf(moved);
  const part = {
    ...eachFigure((name) => figures[name]),
    claimMax: rounded(Math.max(...moved.claims), 2),
    steps: moved.steps,
  };
  say(`${title}: ${describe(part)}, slowest claim ${part.claimMax}; ${part.steps} steps`);
  return part;
}

/**
 * What else a Scheduler and a Supervisor ask the store for, as often as they do when nothing calls
 * them.
 */
async function lookMeanwhile(store: StateStore, goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    await store.stageDueSteps();
    await store.findExpired({ batch: 200 });
    await store.countStepsInFlight({ lockedBy: "bench" });
    await sleep(1_000);
  }
}
