import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { rounded } from "@holdfast/load";
import {
  createDatabase,
  holdfastFolder,
  type LocalStack,
  queryOnce,
  startLocalStack,
} from "@holdfast/local-stack";
import { taskOf } from "../holdfast-subject.ts";
import type { BenchOptions } from "../options.ts";
import { newOrder } from "../order.ts";
import { type Holdfast, startHoldfast } from "../start-holdfast.ts";
import { threeSlowSteps } from "../workflow.ts";

/** An outage, and what became of the orders that it met. */
interface OutageFigures {
  readonly kind: string;
  readonly seconds: number;
  readonly orders: number;
  readonly wronglyUndone: number;
  readonly failuresCounted: number;
  /** Neither processed nor undone half a minute after the end of the outage. */
  readonly open: number;
  /** Seconds from the end of the outage until the last order had ended. */
  readonly endedWithin: number;
}

export interface OutagesResult {
  readonly orders: number;
  readonly wronglyUndone: number;
  readonly failuresCounted: number;
  readonly open: number;
  readonly outages: readonly OutageFigures[];
}

type Rabbit = LocalStack["broker"];

/** What keeps messages from going through, and what ends it. */
const kinds: Readonly<Record<string, (broker: Rabbit) => readonly [Act, Act]>> = {
  alarm: (broker) => [
    () => broker.rabbitmqctl("set_vm_memory_high_watermark", "0.000001"),
    () => broker.rabbitmqctl("set_vm_memory_high_watermark", "0.6"),
  ],
  away: (broker) => [() => broker.rabbitmqctl("stop_app"), () => broker.rabbitmqctl("start_app")],
};
type Act = () => Promise<unknown>;

/** Seconds. The limits of a step are two and two: within those, at them, and far beyond. */
const lengths = [1, 2, 3, 4, 5, 8, 15, 40];
/** Milliseconds between two orders, so that some are at each point of their way when an outage begins. */
const between = 40;
/** Seconds after an outage in which every order has to end. */
const patience = 30;

/**
 * Measures what alarms and outages of the broker do to orders that are well: each step has one failure, so one that is
 * counted undoes its order.
 */
export async function measureOutages(
  { orders, without }: BenchOptions,
  say: (line: string) => void,
): Promise<OutagesResult> {
  await using owner = new AsyncDisposableStack();
  const dataFolder = join(holdfastFolder(), "bench");
  const stack = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  const { url: databaseUrl } = owner.use(await createDatabase(stack.postgres.url));
  const holdfast = await startHoldfast(owner, {
    databaseUrl,
    brokerUrl: stack.broker.url,
    workflow: threeSlowSteps.definition,
    schedulers: { count: 2 },
    supervisors: 2,
    agents: { program: "slow-agent.ts", count: 2 },
    without,
  });
  const runs = Object.entries(kinds).flatMap(([kind, actsOf]) =>
    lengths.map((seconds) => ({ kind, seconds, acts: actsOf(stack.broker) })),
  );
  const outages: OutageFigures[] = [];
  for (const { kind, seconds, acts } of runs) {
    const share = Math.ceil(orders / runs.length);
    const met = await during(holdfast, { seconds, orders: share, acts });
    const figures = { kind, seconds, ...(await becameOf(databaseUrl, met)) };
    outages.push(figures);
    say(
      `${kind} of ${seconds} s: ${figures.orders} orders, ${figures.wronglyUndone} undone, ${figures.failuresCounted} failures counted, ${figures.open} open, ended within ${figures.endedWithin} s`,
    );
  }
  const sum = (of: (one: OutageFigures) => number) =>
    outages.reduce((all, one) => all + of(one), 0);
  return {
    orders: sum((one) => one.orders),
    wronglyUndone: sum((one) => one.wronglyUndone),
    failuresCounted: sum((one) => one.failuresCounted),
    open: sum((one) => one.open),
    outages,
  };
}

/** The orders that an outage met, and the seconds until they had ended. */
interface Met {
  readonly taskIds: readonly string[];
  readonly endedWithin: number;
}

interface Outage {
  readonly seconds: number;
  readonly orders: number;
  readonly acts: readonly [Act, Act];
}

async function during(
  { store, hint, findUnfinished }: Holdfast,
  { seconds, orders, acts: [begin, end] }: Outage,
): Promise<Met> {
  const taskIds: string[] = [];
  const submit = async (): Promise<void> => {
    const [result] = await store.submitTasks([taskOf(newOrder(), threeSlowSteps.name)], {
      actor: "bench",
    });
    hint();
    if (result?.kind === "created") taskIds.push(result.taskId);
  };
  const submitting = (async () => {
    while (taskIds.length < orders) {
      await submit();
      await sleep(between);
    }
  })();
  await begin();
  await sleep(seconds * 1_000);
  await Promise.all([end(), submitting]);
  const endedAt = performance.now();
  const sinceEnd = () => (performance.now() - endedAt) / 1_000;
  while ((await findUnfinished(taskIds)).length > 0 && sinceEnd() < patience) await sleep(50);
  return { taskIds, endedWithin: rounded(sinceEnd(), 1) };
}

async function becameOf(
  databaseUrl: string,
  { taskIds, endedWithin }: Met,
): Promise<Omit<OutageFigures, "kind" | "seconds">> {
  const list = taskIds.map((id) => `'${id}'`).join(", ");
  const count = async (sql: string): Promise<number> => {
    const [row] = await queryOnce<{ n: number }>(databaseUrl, `select count(*)::int as n ${sql}`);
    return row?.n ?? 0;
  };
  return {
    orders: taskIds.length,
    wronglyUndone: await count(
      `from state.tasks where task_id in (${list}) and process_state in ('compensated', 'compensating')`,
    ),
    failuresCounted: await count(
      `from state.events where task_id in (${list}) and action in ('retry', 'coolDown', 'fail')`,
    ),
    open: await count(`from state.tasks where task_id in (${list}) and finished_at is null`),
    endedWithin,
  };
}
