import { setTimeout as sleep } from "node:timers/promises";
import { host, startAgents, TransientFault } from "@holdfast/agent";
import { newTask } from "@holdfast/load";
import { queryOnce } from "@holdfast/local-stack";
import { newOrder } from "../order.ts";
import type { Holdfast } from "../start-holdfast.ts";
import { slow, slowStep } from "../workflow.ts";

export interface Sick {
  /**
   * Tasks per second while all instances are well, and from five seconds after one of them became
   * sick.
   */
  readonly wellPerSecond: number;
  readonly sickPerSecond: number;
  readonly sickThroughput: number;
  /** Failures that were counted for attempts of which no call failed. */
  readonly falseFailures: number;
  /** Calls of the sick instance after its first five seconds. */
  readonly probes: number;
}

interface Servers {
  readonly brokerUrl: string;
  readonly databaseUrl: string;
}

const instances = 3;
/** Few, so that the instances limit the throughput rather than the Scheduler. */
const concurrency = 5;
/** Milliseconds. */
const callMs = 10;
const second = 1_000;
const period = 5 * second;
const batch = 200;

/**
 * The throughput of three instances of one Agent, and what is left of it when one of them fails at
 * once.
 */
export async function measureSick(
  { store, hint }: Pick<Holdfast, "store" | "hint">,
  { brokerUrl, databaseUrl }: Servers,
): Promise<Sick> {
  await using owner = new AsyncDisposableStack();
  const sickness = { isOn: false, calls: 0, attempts: new Set<string>() };
  for (let index = 0; index < instances; index += 1) {
    const agent = index === 0 ? agentThatFails(sickness) : wellAgent();
    owner.use(await startAgents({ broker: brokerUrl, agents: [agent] }));
  }
  const most = Math.ceil((instances * concurrency * (4 * period)) / callMs);
  await submit(store, most);
  hint();
  await sleep(period);

  const processed = async () => (await store.countTasks()).processed ?? 0;
  const rate = async (): Promise<number> => {
    const [before, from] = [await processed(), performance.now()];
    await sleep(period);
    const perSecond = (((await processed()) - before) * second) / (performance.now() - from);
    if ((await store.countTasks()).pending === 0) throw new Error("There were not enough tasks");
    return perSecond;
  };

  const wellPerSecond = await rate();
  sickness.isOn = true;
  await sleep(period);
  const callsBefore = sickness.calls;
  const sickPerSecond = await rate();
  return {
    wellPerSecond,
    sickPerSecond,
    sickThroughput: sickPerSecond / wellPerSecond,
    falseFailures: await countFalse(databaseUrl, sickness.attempts),
    probes: sickness.calls - callsBefore,
  };
}

async function act(): Promise<{ readonly ok: boolean }> {
  await sleep(callMs);
  return { ok: true };
}

const wellAgent = () => host(slow, { act }, { concurrency });

interface Sickness {
  readonly isOn: boolean;
  calls: number;
  /** Attempts of which a call failed. */
  readonly attempts: Set<string>;
}

const agentThatFails = (sickness: Sickness) =>
  host(
    slow,
    {
      act(_, { taskId, attempt }) {
        if (!sickness.isOn) return act();
        sickness.calls += 1;
        sickness.attempts.add(`${taskId} ${attempt}`);
        return Promise.reject(new TransientFault("bench.sick", "This instance is sick"));
      },
    },
    { concurrency },
  );

async function submit(store: Holdfast["store"], count: number): Promise<void> {
  for (let left = count; left > 0; left -= batch) {
    const tasks = Array.from({ length: Math.min(batch, left) }, () =>
      newTask({ workflow: slowStep.name, input: { ...newOrder() } }),
    );
    await store.submitTasks(tasks, { actor: "bench" });
  }
}

async function countFalse(databaseUrl: string, failed: ReadonlySet<string>): Promise<number> {
  const counted = await queryOnce<{ readonly attempt: string }>(
    databaseUrl,
    `select task_id || ' ' || attempt as attempt from state.events
      where action in ('retry', 'coolDown', 'fail')`,
  );
  return counted.filter(({ attempt }) => !failed.has(attempt)).length;
}
