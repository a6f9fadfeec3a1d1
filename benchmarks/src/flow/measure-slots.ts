import { setTimeout as sleep } from "node:timers/promises";
import { host, startAgents } from "@holdfast/agent";
import { newTask } from "@holdfast/load";
import type { Holdfast } from "../start-holdfast.ts";
import { slow, slowStep } from "../workflow.ts";

export interface SlotOptions {
  readonly brokerUrl: string;
  /** Seconds for which it is measured. */
  readonly seconds: number;
}

export interface Slots {
  /** The part of their time in which the slots of the idlest instance were busy. */
  readonly slotsBusyMin: number;
  /** The part of their time in which slots were busy, by the slots of the instance. */
  readonly busy: Readonly<Record<string, number>>;
}

/** The slots of each instance. */
const instances = [5, 20, 75];
/** Milliseconds of a call. */
const callMs = 200;
const warmUpMs = 3_000;
const batch = 200;

/**
 * How busy three instances of one Agent are kept, which differ in size, while more is due than they
 * can do.
 */
export async function measureSlots(
  { store, hint }: Pick<Holdfast, "store" | "hint">,
  { brokerUrl, seconds }: SlotOptions,
): Promise<Slots> {
  await using owner = new AsyncDisposableStack();
  const meters = instances.map(() => busyMeter());
  for (const [index, concurrency] of instances.entries()) {
    const act = () => meters[index]!.during(() => sleep(callMs, { ok: true }));
    owner.use(await startAgents({ broker: brokerUrl, agents: [host(slow, { act })], concurrency }));
  }
  const perSecond = (1_000 / callMs) * instances.reduce((sum, slots) => sum + slots, 0);
  for (let left = perSecond * (seconds + warmUpMs / 1_000 + 2); left > 0; left -= batch) {
    const tasks = Array.from({ length: batch }, () =>
      newTask({ workflow: slowStep.name, input: { id: "slots", padding: "" } }),
    );
    await store.submitTasks(tasks, { actor: "bench" });
    hint();
  }
  await sleep(warmUpMs);
  const before = meters.map((meter) => meter.total());
  const from = performance.now();
  await sleep(seconds * 1_000);
  const elapsed = performance.now() - from;
  const shares = meters.map(
    (meter, index) => (meter.total() - before[index]!) / (elapsed * instances[index]!),
  );
  const { pending = 0 } = await store.countTasks();
  if (pending === 0) throw new Error("All steps were done before the measurement ended");
  return {
    slotsBusyMin: Math.min(...shares),
    busy: Object.fromEntries(instances.map((slots, index) => [slots, shares[index]!])),
  };
}

/** Sums up the milliseconds of all slots together. */
function busyMeter() {
  let [running, sum, since] = [0, 0, performance.now()];
  const change = (by: number): void => {
    const now = performance.now();
    sum += running * (now - since);
    running += by;
    since = now;
  };
  return {
    total(): number {
      change(0);
      return sum;
    },
    async during<Result>(work: () => Promise<Result>): Promise<Result> {
      change(1);
      try {
        return await work();
      } finally {
        change(-1);
      }
    },
  };
}
