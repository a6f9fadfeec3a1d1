import { setTimeout as sleep } from "node:timers/promises";
import { queryOnce } from "@holdfast/local-stack";
import type { StateStore } from "@holdfast/state-store";
import { rounded } from "../statistics.ts";
import { describe, eachFigure, figuresOf } from "./figures.ts";
import { moveOrders } from "./move-orders.ts";
import type { Held } from "./report.ts";

interface HeldOptions {
  readonly store: StateStore;
  readonly url: string;
  readonly seconds: number;
  readonly say: (line: string) => void;
}

const parts = 10;

/** Holds a snapshot, and an id, beside one who works as fast as it can. */
export async function measureHeld({ store, url, seconds, say }: HeldOptions): Promise<Held> {
  const holding = queryOnce(
    url,
    `begin isolation level repeatable read; select pg_current_xact_id(); select pg_sleep(${seconds})`,
  );
  let isHeld = true;
  const looking = lookMeanwhile(store, () => isHeld);
  const measured: Held["parts"][number][] = [];
  while (measured.length < parts) {
    const until = performance.now() + (seconds * 1_000) / parts;
    const isOver = () => performance.now() > until;
    const times = await moveOrders(store, { submits: true, isOver });
    const figures = figuresOf(times);
    const part = {
      ...eachFigure((name) => figures[name]),
      claimMax: rounded(Math.max(...times.claims), 2),
      steps: times.steps,
    };
    measured.push(part);
    say(`held: ${describe(part)}, slowest claim ${part.claimMax}; ${part.steps} steps`);
  }
  isHeld = false;
  await holding;
  await looking;
  return { seconds, parts: measured };
}

/** What else a Scheduler and a Supervisor ask the store for, as often as they do when nothing calls them. */
async function lookMeanwhile(store: StateStore, goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    await store.promoteRestedSteps();
    await store.findExpired({ batch: 200 });
    await store.countStepsInFlight({ lockedBy: "bench" });
    await sleep(1_000);
  }
}
