import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { median, medianOfRatios, type Pushed, pushOrders, rounded } from "@holdfast/load";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import { type CpuByPart, cpuByPart, cpuPerOrder } from "./cpu.ts";
import type { BenchOptions } from "./options.ts";
import { startHoldfast } from "./start-holdfast.ts";
import { orderSteps } from "./workflow.ts";

const connections = 400;
const warmUp = 20_000;
/** Seconds. */
const longestDrain = 60;

interface Round {
  /** All of these are orders a second. */
  readonly accepted: number;
  readonly processedMeanwhile: number;
  readonly processedAfterwards: number;
}

export interface SubmissionResult {
  readonly acceptedPerSecond: number;
  /** What is processed while orders come in, beside what is processed when none do. */
  readonly processingRatio: number;
}

/**
 * Measures how many orders are taken over HTTP while others are processed, and what that costs
 * them.
 */
export async function measureSubmission(
  { rounds, orders, without }: BenchOptions,
  say: (line: string) => void,
): Promise<SubmissionResult> {
  await using owner = new AsyncDisposableStack();
  const dataFolder = join(holdfastFolder(), "bench");
  const stack = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  const { url } = owner.use(await createDatabase(stack.postgres.url));
  const { system, store, pids } = await startHoldfast(owner, {
    databaseUrl: url,
    brokerUrl: stack.broker.url,
    workflow: orderSteps.definition,
    submissions: 1,
    without,
  });
  const target = system.submissionUrl;
  const [submission] = system.running("submission");
  const processed = async () => (await store.countTasks()).processed ?? 0;
  const cpu = () =>
    cpuByPart({ ...pids, submission: submission?.pid ?? 0, load: process.pid }, dataFolder);

  const measureRound = async (): Promise<Round> => {
    const before = { processed: await processed(), cpu: cpu() };
    const load = await submit(target, orders);
    const meanwhile = await processed();
    const used = cpuPerOrder(before.cpu, cpu(), orders);
    const drained = await drain(processed, before.processed + orders);
    const round = {
      accepted: orders / load.seconds,
      processedMeanwhile: (meanwhile - before.processed) / load.seconds,
      processedAfterwards: (drained.processed - meanwhile) / drained.seconds,
    };
    say(
      `${round.accepted.toFixed()} orders/s taken, p50 ${load.p50Accepted.toFixed()} ms, p99 ${load.p99Accepted.toFixed()} ms; processed ${round.processedMeanwhile.toFixed()} a second meanwhile, ${round.processedAfterwards.toFixed()} afterwards; CPU ms for an order taken: ${partsOf(used)}`,
    );
    return round;
  };

  await submit(target, warmUp);
  const measured: Round[] = [];
  while (measured.length < rounds) measured.push(await measureRound());
  const ratio = medianOfRatios(measured, (round) => [
    round.processedMeanwhile,
    round.processedAfterwards,
  ]);
  return {
    acceptedPerSecond: Math.round(median(measured.map(({ accepted }) => accepted))),
    processingRatio: rounded(ratio, 2),
  };
}

/** Waits until so many are processed, or for as long as is worth waiting. */
async function drain(processed: () => Promise<number>, expected: number) {
  const startedAt = performance.now();
  for (;;) {
    const now = await processed();
    const seconds = (performance.now() - startedAt) / 1_000;
    if (now >= expected || seconds > longestDrain) return { processed: now, seconds };
    await sleep(50);
  }
}

const partsOf = (cpu: CpuByPart): string =>
  Object.entries(cpu)
    .map(([part, ms]) => `${part} ${ms.toFixed(2)}`)
    .join(", ");

/** Submits so many orders. Throws if one of them was not taken. */
async function submit(url: string, orders: number): Promise<Pushed> {
  const pushed = await pushOrders({ url, connections, load: { orders }, rate: null });
  if (pushed.accepted.length === orders) return pushed;
  throw new Error(`Only ${pushed.accepted.length} of ${orders} orders were taken.`);
}
