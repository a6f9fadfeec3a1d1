import { setTimeout as sleep } from "node:timers/promises";
import { createDatabase, type LocalStack, queryOnce } from "@holdfast/local-stack";
import { asRole } from "@holdfast/processes";
import { openLink } from "@holdfast/test-servers";
import { type CpuByPart, cpuByPart, cpuPerOrder } from "../cpu.ts";
import { holdfastSubject } from "../holdfast-subject.ts";
import { type Holdfast, startHoldfast } from "../start-holdfast.ts";
import { measure } from "../subject.ts";
import { countStatements, forgetStatements } from "./count-statements.ts";
import { limitCpu } from "./limit-cpu.ts";
import type { Setup } from "./setups.ts";

export interface SetupFigures {
  readonly ordersPerSecond: number;
  /** Statements of all Schedulers together for each order. */
  readonly statementsPerOrder: number;
  /** Statements of each Scheduler a second, at rest. */
  readonly statementsAtRest: number;
  readonly cpu: CpuByPart;
}

interface Conditions {
  readonly stack: LocalStack;
  readonly dataFolder: string;
  readonly orders: number;
  readonly without: readonly string[];
}

/**
 * Orders: 20,000 for each of four processes, which has its own code to compile; with a quarter of
 * that they still need half as much CPU again. As many where there is one, so that all are measured
 * in a store with the same past.
 */
const warmUp = 80_000;
/** Orders, until Schedulers that have just been limited are at the pace that this leaves them. */
const settling = 1_000;
/** Seconds. */
const restFor = 5;

/** One turn of one setup, on a database of its own. Throws if it left a broken invariant. */
export async function measureSetup(
  { schedulers, agents, distance, window, share }: Setup,
  { stack, dataFolder, orders, without }: Conditions,
): Promise<SetupFigures> {
  await using owner = new AsyncDisposableStack();
  const { url } = owner.use(await createDatabase(stack.postgres.url));
  const link = owner.use(await openLink(url, () => 0));
  link.slow({ latencyMs: distance / 2, jitterMs: 0 });
  const storeUrl = asRole(distance === 0 ? url : link.url, "holdfast_scheduler");
  const { pids, ...holdfast } = await startHoldfast(owner, {
    databaseUrl: url,
    brokerUrl: stack.broker.url,
    schedulers: {
      count: schedulers,
      env: { STATE_STORE_URL: storeUrl, MAX_IN_FLIGHT: String(window) },
    },
    agents: { count: agents },
    without,
  });
  const subject = holdfastSubject(holdfast);
  const cpu = () => cpuByPart({ ...pids, load: process.pid }, dataFolder);

  await measure(subject, { kind: "backlog", orders: warmUp });
  if (share !== null) {
    await limitSchedulers(owner, pids, share);
    await measure(subject, { kind: "backlog", orders: settling });
  }
  await queryOnce(url, "checkpoint");
  await forgetStatements(url);
  const before = cpu();
  const [ms = Number.NaN] = await measure(subject, { kind: "backlog", orders });
  const used = cpuPerOrder(before, cpu(), orders);
  const statements = await countStatements(url);
  await forgetStatements(url);
  await sleep(restFor * 1_000);
  const atRest = await countStatements(url);
  const [violation] = await holdfast.store.findInvariantViolations({ batch: 1 });
  if (violation !== undefined) throw new Error(`Broken invariant: ${violation.invariant}`);
  return {
    ordersPerSecond: (orders / ms) * 1_000,
    statementsPerOrder: statements / orders,
    statementsAtRest: atRest / restFor / schedulers,
    cpu: used,
  };
}

/** Limits Schedulers once they are warm: compiling takes more CPU than what they do later. */
async function limitSchedulers(
  owner: AsyncDisposableStack,
  pids: Holdfast["pids"],
  share: number,
): Promise<void> {
  for (const [part, pid] of Object.entries(pids)) {
    if (part.startsWith("scheduler")) owner.use(await limitCpu(pid, share));
  }
}
