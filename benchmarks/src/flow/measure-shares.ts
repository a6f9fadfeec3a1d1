import { newTask } from "@holdfast/load";
import { openStateStore, type StateStore } from "@holdfast/state-store";
import { threeSteps } from "../workflow.ts";

export interface ShareOptions {
  readonly databaseUrl: string;
  readonly keys: number;
  readonly claims: number;
}

export interface Shares {
  /** The error of the worst key's share, as a part of what it should be. */
  readonly shareErrorMax: number;
  /** Milliseconds from the submission of a new key until its first claim. */
  readonly newKeyMs: number;
  /**
   * How many steps were claimed meanwhile, as a part of one round: a step of each key, times its
   * weight.
   */
  readonly newKeyRounds: number;
}

const schedulers = 4;
const weights = 5;
/** Slots that each of them fills at a time. */
const slots = 20;
const batch = 200;
const lane = "bench-first";
const newKey = "new";

const weightOf = (index: number): number => 1 + (index % weights);
const nameOf = (index: number): string => `key ${index}`;

/**
 * Four Schedulers claim the steps of many keys, all of which have steps due all the time. No Agent
 * works.
 */
export async function measureShares({ databaseUrl, keys, claims }: ShareOptions): Promise<Shares> {
  await using owner = new AsyncDisposableStack();
  const options = { url: databaseUrl, applicationName: "bench", maxConnections: 2 };
  const stores: StateStore[] = [];
  for (let count = 0; count < schedulers; count += 1) {
    stores.push(owner.use(await openStateStore(options)));
  }
  const total = Array.from({ length: keys }, (_, index) => weightOf(index)).reduce(
    (sum, weight) => sum + weight,
    0,
  );
  await submitAll(stores, {
    keys,
    steps: (weight) => Math.ceil((1.3 * claims * weight) / total) + 5,
  });
  return await claimAll(stores, { keys, claims, total });
}

interface Submitting {
  readonly keys: number;
  /** How many steps a key of that weight needs. */
  readonly steps: (weight: number) => number;
}

async function submitAll(
  stores: readonly StateStore[],
  { keys, steps }: Submitting,
): Promise<void> {
  const tasks = Array.from({ length: keys }, (_, index) => {
    const weight = weightOf(index);
    return Array.from({ length: steps(weight) }, () => taskOf(nameOf(index), weight));
  }).flat();
  const parts = Array.from({ length: Math.ceil(tasks.length / batch) }, (_, part) =>
    tasks.slice(part * batch, (part + 1) * batch),
  );
  await Promise.all(
    stores.map(async (store) => {
      for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
        await store.submitTasks(part, { actor: "bench" });
      }
    }),
  );
}

const taskOf = (key: string, weight: number) => ({
  ...newTask({ workflow: threeSteps.name, input: { id: key, padding: "" } }),
  fairness: { key, weight },
});

interface Claiming {
  readonly keys: number;
  readonly claims: number;
  /** The sum of all weights. */
  readonly total: number;
}

async function claimAll(
  stores: readonly StateStore[],
  { keys, claims, total }: Claiming,
): Promise<Shares> {
  const count = countClaims();
  const run = async (store: StateStore, index: number): Promise<void> => {
    const lockedBy = `scheduler ${index}`;
    while (count.claimed() < claims || count.newKey() === null) {
      if (index === 0 && !count.hasSubmitted() && count.claimed() >= claims / 2) {
        count.submitted();
        await store.submitTasks([taskOf(newKey, 1)], { actor: "bench" });
      }
      const capacity = [{ lane, slots }];
      const some = await store.claimDueSteps({ lockedBy, capacity, resendAfter: 600_000 });
      if (some.length === 0) throw new Error("There were not enough steps");
      for (const { taskInput } of some) count.add((taskInput as { readonly id: string }).id);
    }
  };
  await Promise.all(stores.map(run));
  const { ms = Number.NaN, claims: meanwhile = Number.NaN } = count.newKey() ?? {};
  const errors = Array.from({ length: keys }, (_, index) => {
    const fair = ((count.claimed() - 1) * weightOf(index)) / total;
    return Math.abs(count.of(nameOf(index)) / fair - 1);
  });
  return {
    shareErrorMax: Math.max(...errors),
    newKeyMs: ms,
    newKeyRounds: meanwhile / total,
  };
}

/** Counts claims by key, and how long the new key waits for its first. */
function countClaims() {
  const served = new Map<string, number>();
  let claimed = 0;
  let submitted: { readonly ms: number; readonly claimed: number } | null = null;
  let newKeyWaited: { readonly ms: number; readonly claims: number } | null = null;
  return {
    claimed: () => claimed,
    of: (key: string) => served.get(key) ?? 0,
    hasSubmitted: () => submitted !== null,
    submitted: () => void (submitted = { ms: performance.now(), claimed }),
    newKey: () => newKeyWaited,
    add(key: string): void {
      claimed += 1;
      served.set(key, (served.get(key) ?? 0) + 1);
      if (key !== newKey || submitted === null) return;
      const ms = performance.now() - submitted.ms;
      newKeyWaited = { ms, claims: claimed - submitted.claimed };
    },
  };
}
