import { setTimeout as sleep } from "node:timers/promises";
import { byMessage, inTurn, overHttp, type SubmittedOrder, submitOrders } from "@holdfast/load";
import { openQueries, type Queries } from "@holdfast/local-stack";
import { type Broker, connectBroker } from "@holdfast/messaging";
import { sampleOrder } from "@holdfast/orders";
import { asRole } from "@holdfast/processes";
import { type CalledOrder, type CallOptions, callServices, type Means } from "./call-services.ts";

/** An order that was accepted, and when. */
interface AcceptedOrder extends SubmittedOrder {
  readonly at: number;
  readonly via: "http" | "message" | "sql" | Means;
}

export interface Load {
  readonly accepted: readonly AcceptedOrder[];
  /** Orders among them that clients and commands of both releases submitted. */
  readonly called: readonly CalledOrder[];
  /** Orders that were refused for good, and why. */
  readonly refused: readonly string[];
  /**
   * Has orders by message go to another broker from now on. Resolves once no more are sent to the
   * one before.
   */
  moveTo(brokerUrl: string): Promise<void>;
  /**
   * Ends the submitting. Resolves when each order was answered; rejects when one could not be
   * submitted at all.
   */
  end(): Promise<void>;
}

interface LoadOptions extends Pick<CallOptions, "releases" | "urlsFor"> {
  /** Begins each idempotency key. */
  readonly run: string;
  readonly rate: number;
  /** The URLs at which orders are taken at the moment. */
  readonly urls: () => readonly string[];
  /** The URL of the broker, as an application. */
  readonly brokerUrl: string;
  /** The owner's URL of the store. */
  readonly stateStoreUrl: string;
  /** The workflow that orders by SQL name. */
  readonly workflow: string;
}

/** Two of three orders are good; the others are undone from wherever they get to. */
const kindOf = inTurn("good", "good", "unshippable", "good", "flaky", "declined");

/** Orders by SQL for each of those by other ways. */
const shareOfSql = 1 / 5;
/** Milliseconds. */
const restBetweenTries = 200;

/** Submits orders at a steady rate, over HTTP, by message and by SQL, each until it is answered. */
export async function loadOrders(options: LoadOptions): Promise<Load> {
  const { run, rate, urls, brokerUrl, releases, urlsFor } = options;
  const accepted: AcceptedOrder[] = [];
  const called: CalledOrder[] = [];
  const refused: string[] = [];
  const over = new AbortController();
  let broker = await connect(brokerUrl);
  const submitting = Promise.all([
    submitOrders({
      run,
      rate,
      kindOf,
      // It goes on for as long as it is wanted, and what it has begun is answered all the same.
      orders: 0,
      goesOn: () => !over.signal.aborted,
      http: overHttp(urls),
      message: (order) => byMessage(broker)(order),
      record: ({ type, key, kind, taskId, via, at }) => {
        if (type === "ok") accepted.push({ key, kind, taskId, via, at });
      },
      onRefused: ({ key }, why) => refused.push(`${key}: ${why}`),
      signal: new AbortController().signal,
    }),
    enqueueOrders(options, { accepted, signal: over.signal }),
    callServices({
      run,
      releases,
      urlsFor,
      onCalled(order) {
        called.push(order);
        accepted.push(order);
      },
      onRefused: (why) => refused.push(why),
      signal: over.signal,
    }),
  ]);
  submitting.catch(() => {}); // `end` throws it.
  return {
    accepted,
    called,
    refused,
    async moveTo(url) {
      const before = broker;
      broker = await connect(url);
      await before[Symbol.asyncDispose]();
    },
    async end() {
      over.abort();
      try {
        await submitting;
      } finally {
        await broker[Symbol.asyncDispose]();
      }
    },
  };
}

const connect = (url: string): Promise<Broker> =>
  connectBroker({
    url,
    name: "upgrade",
    topology: "passive",
    agents: [],
    log: { warn: () => {}, error: () => {} },
  });

interface Enqueued {
  readonly accepted: AcceptedOrder[];
  readonly signal: AbortSignal;
}

/** Enqueues orders in transactions of an application, which go on while no service runs. */
async function enqueueOrders(
  { run, rate, stateStoreUrl, workflow }: LoadOptions,
  { accepted, signal }: Enqueued,
): Promise<void> {
  await using queries = await openQueries(asRole(stateStoreUrl, "holdfast_application"));
  const startedAt = performance.now();
  for (let index = 0; ; index += 1) {
    const dueIn = startedAt + (index * 1_000) / (rate * shareOfSql) - performance.now();
    if (dueIn > 0) await sleep(dueIn, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const kind = kindOf(index);
    const key = `${run}-sql-${index}`;
    const input = sampleOrder({ kind, seed: index });
    const taskId = await enqueue(queries, { workflow, input, idempotencyKey: key });
    accepted.push({ key, kind, taskId, at: Date.now(), via: "sql" });
  }
}

/** Migrations hold locks for moments: a statement that ran into one is repeated under its key. */
async function enqueue(queries: Queries, submission: object): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const [row] = await queries.query<{ id: string }>(
        "select state.enqueue_submission($1::jsonb)::text as id",
        [JSON.stringify(submission)],
      );
      return row?.id ?? "";
    } catch (error) {
      if (attempt === 50) throw error;
      await sleep(restBetweenTries);
    }
  }
}
