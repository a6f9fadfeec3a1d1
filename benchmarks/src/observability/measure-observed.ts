import { setTimeout as sleep } from "node:timers/promises";
import { pushOrders, sum } from "@holdfast/load";
import { createDatabase, freePort, type LocalStack } from "@holdfast/local-stack";
import { startService } from "@holdfast/processes";
import { cpuByPart, cpuPerOrder } from "../cpu.ts";
import { startHoldfast } from "../start-holdfast.ts";
import { orderSteps } from "../workflow.ts";
import { environmentsOf, type ObservedSetup } from "./setups.ts";

export interface ObservedFigures {
  /** The rate from the first request until all are processed. */
  readonly ordersPerSecond: number;
  /**
   * Milliseconds of CPU for an order: submission, the Scheduler and the Agents; neither the servers
   * nor the load.
   */
  readonly cpuMs: number;
  /** Bytes of spans that came to the collector, for each order. */
  readonly spanBytes: number;
}

interface Options {
  readonly stack: LocalStack;
  readonly dataFolder: string;
  readonly orders: number;
  readonly without: readonly string[];
}

const warmUp = 3_000;
/** Fewer than submission queues: none of the orders is refused. */
const connections = 100;
/** Milliseconds, as infra/observability/prometheus.yml has it. */
const scrapeInterval = 5_000;
const metricsPorts = 24_000;

/**
 * Starts the services anew with this setup, and measures orders over HTTP until all are processed.
 */
export async function measureObserved(
  setup: ObservedSetup,
  { stack, dataFolder, orders, without }: Options,
): Promise<ObservedFigures> {
  await using owner = new AsyncDisposableStack();
  const { url } = owner.use(await createDatabase(stack.postgres.url));
  const sink = owner.use(
    await startService({ service: "benchmarks/src/observability/sink.ts", env: {} }),
  );
  const sinkUrl = `http://127.0.0.1:${String(sink.ready["port"])}`;
  const port = await freePort(metricsPorts);
  const env = environmentsOf(setup, { port, sinkUrl });
  const { system, store, pids } = await startHoldfast(owner, {
    databaseUrl: url,
    brokerUrl: stack.broker.url,
    workflow: orderSteps.definition,
    submissions: 1,
    submissionEnv: env.submission,
    schedulers: { env: env.scheduler },
    agents: { env: env.agent },
    without,
  });
  if (setup.hasMetrics) owner.use(scrapeRegularly([0, 1, 2].map((index) => port + index)));
  const [submission] = system.running("submission");
  const cpu = () => cpuByPart({ ...pids, submission: submission?.pid ?? 0 }, dataFolder);
  const bytesSent = async () =>
    ((await (await fetch(sinkUrl)).json()) as { readonly bytes: number }).bytes;
  const process = async (count: number) => {
    const before = (await store.countTasks()).processed ?? 0;
    const { accepted } = await pushOrders({
      url: system.submissionUrl,
      connections,
      load: { orders: count },
      rate: null,
    });
    if (accepted.length !== count)
      throw new Error(`Only ${accepted.length} of ${count} were taken`);
    while (((await store.countTasks()).processed ?? 0) < before + count) await sleep(50);
  };

  await process(warmUp);
  const before = { cpu: cpu(), bytes: await bytesSent(), at: performance.now() };
  await process(orders);
  const seconds = (performance.now() - before.at) / 1_000;
  const { broker: _, postgres: __, ...services } = cpuPerOrder(before.cpu, cpu(), orders);
  return {
    ordersPerSecond: orders / seconds,
    cpuMs: sum(Object.values(services)),
    spanBytes: ((await bytesSent()) - before.bytes) / orders,
  };
}

const scrape = async (port: number): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

/** Scrapes as Prometheus would. */
function scrapeRegularly(ports: readonly number[]): Disposable {
  const timer = setInterval(() => {
    void Promise.allSettled(ports.map(scrape));
  }, scrapeInterval);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
