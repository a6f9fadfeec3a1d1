import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { median, rounded } from "@holdfast/load";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import type { StateStore } from "@holdfast/state-store";
import { holdfastSubject } from "./holdfast-subject.ts";
import type { BenchOptions } from "./options.ts";
import { startHoldfast } from "./start-holdfast.ts";
import { measure } from "./subject.ts";
import { callMs, slowStep } from "./workflow.ts";

const concurrency = 20;
const allowed = (concurrency * 1_000) / callMs;
const warmUp = 400;

export interface SlowAgentsResult {
  readonly callsPerSecond: number;
  /** The share of what the concurrency allows. */
  readonly share: number;
}

/** Measures how busy one Agent is kept whose remote service takes its time. */
export async function measureSlowAgents(
  { rounds, orders, without }: BenchOptions,
  say: (line: string) => void,
): Promise<SlowAgentsResult> {
  await using owner = new AsyncDisposableStack();
  const dataFolder = join(holdfastFolder(), "bench");
  const stack = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  const database = owner.use(await createDatabase(stack.postgres.url));
  const holdfast = await startHoldfast(owner, {
    databaseUrl: database.url,
    brokerUrl: stack.broker.url,
    workflow: slowStep.definition,
    without,
    agents: { program: "slow-agent.ts", env: { CONCURRENCY: String(concurrency) } },
  });
  const subject = holdfastSubject(holdfast, slowStep.name);
  await measure(subject, { kind: "backlog", orders: warmUp });
  const rates: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const [rate] = await Promise.all([steadyRate(holdfast.store, orders), subject.backlog(orders)]);
    rates.push(rate);
    say(`run ${round}: ${rate.toFixed()} calls/s, ${percent(rate)} of ${allowed}`);
  }
  const rate = median(rates);
  return { callsPerSecond: Math.round(rate), share: rounded(rate / allowed, 3) };
}

const percent = (rate: number): string => `${((rate / allowed) * 100).toFixed(1)} %`;

/** A second, from when a tenth of the orders is processed until nine tenths are. */
async function steadyRate(store: StateStore, orders: number): Promise<number> {
  const processed = async () => (await store.countTasks()).processed ?? 0;
  const before = await processed();
  const reach = async (share: number) => {
    for (;;) {
      const count = (await processed()) - before;
      if (count >= orders * share) return { count, at: performance.now() };
      await sleep(50);
    }
  };
  const from = await reach(0.1);
  const to = await reach(0.9);
  return ((to.count - from.count) / (to.at - from.at)) * 1_000;
}
