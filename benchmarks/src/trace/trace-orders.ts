import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { markdownTable, percentile, rounded } from "@holdfast/load";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import type { LogLine } from "@holdfast/processes";
import { holdfastSubject, type LoneOrder, processLoneOrder } from "../holdfast-subject.ts";
import type { BenchOptions } from "../options.ts";
import { startHoldfast } from "../start-holdfast.ts";
import { measure } from "../subject.ts";
import { assembleTrace, keyOf, stepNames } from "./assemble-trace.ts";
import { type Hop, hopsOf } from "./hops.ts";
import { type Moment, tapped } from "./moment.ts";
import { readEvents } from "./read-events.ts";

const warmUp = { orders: 1_000, lone: 50 };
const tap = fileURLToPath(new URL("tap-messages.ts", import.meta.url));
/** A request and a reply for each step, each published, confirmed and received. */
const momentsPerOrder = stepNames.length * 2 * 3;

export interface TraceResult {
  readonly loneP50Ms: number;
  readonly hops: readonly Hop[];
}

/** Follows lone orders through Holdfast, and tells what each part of their way took. */
export async function traceOrders(
  { orders, without }: BenchOptions,
  say: (line: string) => void,
): Promise<TraceResult> {
  const dataFolder = join(holdfastFolder(), "bench");
  await using owner = new AsyncDisposableStack();
  const stack = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  const database = owner.use(await createDatabase(stack.postgres.url));
  const moments = new Map<string, Moment>();
  const holdfast = await startHoldfast(owner, {
    databaseUrl: database.url,
    brokerUrl: stack.broker.url,
    without,
    nodeOptions: [`--import=${tap}`],
    onLog: (line) => momentsIn(line).forEach((moment) => moments.set(keyOf(moment), moment)),
  });
  const subject = holdfastSubject(holdfast);
  say("warming up …");
  await measure(subject, { kind: "backlog", orders: warmUp.orders });
  await measure(subject, { kind: "lone", orders: warmUp.lone });

  const lone: LoneOrder[] = [];
  while (lone.length < orders) lone.push(await processLoneOrder(holdfast));
  await allTold(moments, lone);
  const events = await readEvents(
    database.url,
    lone.map(({ taskId }) => taskId),
  );
  const hops = hopsOf(lone.map((order) => assembleTrace(order, { moments, events })));
  const loneP50Ms = rounded(
    percentile(
      lone.map(({ submitted, seen }) => seen - submitted),
      0.5,
    ),
    1,
  );
  say(`${orders} lone orders, p50 ${loneP50Ms} ms; medians in ms:\n${tableOf(hops)}`);
  return { loneP50Ms, hops };
}

const momentsIn = ({ msg, moments }: LogLine): readonly Moment[] =>
  msg === tapped ? (moments as readonly Moment[]) : [];

/** The processes tell what they saw a moment later. Of a crowd, several messages go as one. */
async function allTold(
  moments: ReadonlyMap<string, Moment>,
  orders: readonly LoneOrder[],
): Promise<void> {
  const ids = new Set(orders.map(({ taskId }) => taskId));
  const told = () =>
    [...moments.values()].filter(({ messageId }) => ids.has(messageId.split(":")[0] ?? ""));
  while (told().length < orders.length * momentsPerOrder) await sleep(100);
}

const tableOf = (hops: readonly Hop[]): string =>
  markdownTable(
    ["", ...stepNames],
    hops.map(({ name, medians }) => [name, ...medians.map((ms) => ms.toFixed(2))]),
  );
