import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import { asRole, startService } from "@holdfast/local-system";
import autocannon, { type Request } from "autocannon";
import { type CpuByPart, cpuByPart, cpuPerOrder } from "./cpu.ts";
import type { BenchOptions } from "./options.ts";
import { startHoldfast } from "./start-holdfast.ts";
import { median, medianOfRatios, rounded } from "./statistics.ts";
import { orderSteps } from "./workflow.ts";

const connections = 400;
const order = readFileSync(new URL("../../../docs/order.json", import.meta.url));
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

/** Measures how many orders are taken over HTTP while others are processed, and what that costs them. */
export async function measureSubmission(
  { rounds, orders }: BenchOptions,
  say: (line: string) => void,
): Promise<SubmissionResult> {
  await using owner = new AsyncDisposableStack();
  const dataFolder = join(holdfastFolder(), "bench");
  const stack = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  const { url } = owner.use(await createDatabase(stack.postgres.url));
  const { store, pids } = await startHoldfast(owner, {
    databaseUrl: url,
    brokerUrl: stack.broker.url,
    workflow: orderSteps.definition,
  });
  const submission = owner.use(
    await startService({
      service: "submission",
      env: {
        STATE_STORE_URL: asRole(url, "holdfast_submission"),
        BROKER_URL: stack.broker.url,
        WORKFLOW: orderSteps.name,
        HTTP_HOST: "127.0.0.1",
        HTTP_PORT: "0",
      },
    }),
  );
  const target = String(submission.ready["url"]);
  const processed = async () => (await store.countTasks()).processed ?? 0;
  const cpu = () =>
    cpuByPart({ ...pids, submission: submission.pid, load: process.pid }, dataFolder);

  /** Waits until so many are processed, or for as long as is worth waiting. */
  const drain = async (expected: number) => {
    const startedAt = performance.now();
    for (;;) {
      const now = await processed();
      const seconds = (performance.now() - startedAt) / 1_000;
      if (now >= expected || seconds > longestDrain) return { processed: now, seconds };
      await sleep(50);
    }
  };

  const measureRound = async (): Promise<Round> => {
    const before = { processed: await processed(), cpu: cpu() };
    const load = await submit(target, orders);
    const meanwhile = await processed();
    const used = cpuPerOrder(before.cpu, cpu(), orders);
    const drained = await drain(before.processed + orders);
    const round = {
      accepted: orders / load.seconds,
      processedMeanwhile: (meanwhile - before.processed) / load.seconds,
      processedAfterwards: (drained.processed - meanwhile) / drained.seconds,
    };
    say(
      `${round.accepted.toFixed()} orders/s taken, p50 ${load.p50} ms, p99 ${load.p99} ms; processed ${round.processedMeanwhile.toFixed()} a second meanwhile, ${round.processedAfterwards.toFixed()} afterwards; CPU ms for an order taken: ${partsOf(used)}`,
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

const partsOf = (cpu: CpuByPart): string =>
  Object.entries(cpu)
    .map(([part, ms]) => `${part} ${ms.toFixed(2)}`)
    .join(", ");

/** Submits so many orders, each under a key of its own. Throws if one of them was not taken. */
async function submit(
  url: string,
  orders: number,
): Promise<{ readonly seconds: number; readonly p50: number; readonly p99: number }> {
  const startedAt = performance.now();
  const { latency, ...answers } = await autocannon({
    url,
    connections,
    amount: orders,
    requests: [
      {
        method: "POST",
        path: "/v1/orders",
        body: order,
        setupRequest: (request: Request): Request => ({
          ...request,
          headers: { "content-type": "application/json", "idempotency-key": randomUUID() },
        }),
      },
    ],
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  if (answers["2xx"] === orders) return { seconds, p50: latency.p50, p99: latency.p99 };
  throw new Error(`Only ${answers["2xx"]} of ${orders} orders were taken.`);
}
