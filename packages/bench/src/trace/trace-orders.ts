import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { StepReply, StepRequest } from "@holdfast/contracts";
import { createDatabase, holdfastFolder, queryOnce, startLocalStack } from "@holdfast/local-stack";
import type { LogLine } from "@holdfast/local-system";
import { holdfastSubject, type LoneOrder, processLoneOrder } from "../holdfast-subject.ts";
import { markdownTable } from "../markdown-table.ts";
import type { BenchOptions } from "../options.ts";
import { startHoldfast } from "../start-holdfast.ts";
import { percentile, rounded } from "../statistics.ts";
import { measure } from "../subject.ts";
import { type Hop, hopsOf, type OrderTrace, type StepTrace } from "./hops.ts";
import { type MessagePoint, type Moment, tapped } from "./moment.ts";

const warmUp = { orders: 1_000, lone: 50 };
const tap = fileURLToPath(new URL("tap-messages.ts", import.meta.url));
const steps = ["first", "second", "third"];
/** A request and a reply for each step, each published, confirmed and received. */
const momentsPerOrder = steps.length * 2 * 3;

export interface TraceResult {
  readonly loneP50Ms: number;
  readonly hops: readonly Hop[];
}

/** Follows lone orders through Holdfast, and tells what each part of their way took. */
export async function traceOrders(
  { orders }: BenchOptions,
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
    nodeOptions: [`--import=${tap}`],
    onLog: (line) => momentsIn(line).forEach((moment) => moments.set(keyOf(moment), moment)),
  });
  const subject = holdfastSubject(holdfast);
  say("warming up …");
  await measure(subject, { kind: "backlog", orders: warmUp.orders });
  await measure(subject, { kind: "lone", orders: warmUp.lone });
  await allTold(moments, warmUp.orders + warmUp.lone);
  moments.clear();

  const lone: LoneOrder[] = [];
  while (lone.length < orders) lone.push(await processLoneOrder(holdfast));
  await allTold(moments, orders);
  const events = await readEvents(database.url, lone);
  const hops = hopsOf(lone.map((order) => traceOf(order, { moments, events })));
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

const keyOf = ({ type, messageId, point }: Omit<Moment, "at">): string =>
  `${type} ${messageId} ${point}`;

/** The processes tell what they saw a moment later. */
async function allTold(moments: ReadonlyMap<string, Moment>, orders: number): Promise<void> {
  while (moments.size < orders * momentsPerOrder) await sleep(20);
}

interface Event {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** When each step was claimed and recorded, by the store's clock, which is this machine's. */
async function readEvents(
  databaseUrl: string,
  orders: readonly LoneOrder[],
): Promise<ReadonlyMap<string, number>> {
  const ids = orders.map(({ taskId }) => `'${taskId}'`).join(", ");
  const rows = await queryOnce<Event>(
    databaseUrl,
    `select concat_ws(':', task_id, step, action) as key,
            (extract(epoch from at) * 1000)::float8 as at
       from state.events
      where task_id in (${ids}) and action in ('claim', 'complete')`,
  );
  return new Map(rows.map(({ key, at }) => [key, at]));
}

interface Seen {
  readonly moments: ReadonlyMap<string, Moment>;
  readonly events: ReadonlyMap<string, number>;
}

function traceOf({ taskId, ...order }: LoneOrder, { moments, events }: Seen): OrderTrace {
  const stepOf = (step: string): StepTrace => {
    const messageId = `${taskId}:${step}:1`;
    const momentOf = (type: string, point: MessagePoint) =>
      moments.get(keyOf({ type, messageId, point }))?.at ?? Number.NaN;
    const eventOf = (action: string) => events.get(`${taskId}:${step}:${action}`) ?? Number.NaN;
    return {
      passed: {
        claimed: eventOf("claim"),
        "request published": momentOf(StepRequest.type, "published"),
        "request received": momentOf(StepRequest.type, "received"),
        "reply published": momentOf(StepReply.type, "published"),
        "reply received": momentOf(StepReply.type, "received"),
        recorded: eventOf("complete"),
      },
      requestConfirmed: momentOf(StepRequest.type, "confirmed"),
      replyConfirmed: momentOf(StepReply.type, "confirmed"),
    };
  };
  return { ...order, steps: steps.map(stepOf) };
}

const tableOf = (hops: readonly Hop[]): string =>
  markdownTable(
    ["", ...steps],
    hops.map(({ name, medians }) => [name, ...medians.map((ms) => ms.toFixed(2))]),
  );
