import { randomUUID } from "node:crypto";
import autocannon, { type Request, type Result } from "autocannon";
import { documentedOrder } from "./documented-order.ts";
import { percentile } from "./statistics.ts";

/** Milliseconds in which all connect at the same moment; what they send then is not timed. */
const connectingFor = 2_000;

export interface Push {
  readonly url: string;
  readonly connections: number;
  /** The length of the load in seconds or in orders. */
  readonly load: { readonly seconds: number } | { readonly orders: number };
  /** Requests a second, whatever becomes of those before; null: as many as are answered. */
  readonly rate: number | null;
}

/** What became of orders that were pushed at submission. */
export interface Pushed {
  /** The idempotency keys of the orders. */
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
  /** The end came before the answer: each may be written, once. */
  readonly unanswered: readonly string[];
  /** Answers that are neither 202 nor 503, by status. */
  readonly others: Readonly<Record<number, number>>;
  /** Connections that broke, and requests that timed out. */
  readonly broken: number;
  readonly seconds: number;
  /** Milliseconds in which half of them, and 99 of 100, had their answer. */
  readonly p50Accepted: number;
  readonly p99Accepted: number;
  readonly p99Refused: number;
}

interface Context {
  key?: string;
}

/**
 * Submits orders as fast as they are answered, or at a rate, each under a key of its own and only
 * once. Says what was answered to each of them.
 */
export async function pushOrders({ url, connections, load, rate }: Push): Promise<Pushed> {
  const answers = newAnswers();
  const options = {
    url,
    connections,
    timeout: 60,
    ...("seconds" in load ? { duration: load.seconds } : { amount: load.orders }),
    ...(rate === null ? {} : { overallRate: rate }),
    requests: [requestOf(documentedOrder(), answers)],
  };
  const startedAt = performance.now();
  const timedFrom = startedAt + ("seconds" in load ? connectingFor : 0);
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const run = autocannon(options, (error: unknown, result) =>
    error === null ? resolve(result) : reject(error),
  );
  const { times, keys } = answers;
  run.on("response", (_client, status, _bytes, ms) => {
    if (performance.now() - ms > timedFrom) times[status]?.push(ms);
  });
  const { errors, timeouts } = await promise;
  return {
    accepted: keys[202] ?? [],
    refused: keys[503] ?? [],
    unanswered: [...answers.unanswered],
    others: answers.others,
    broken: errors + timeouts,
    seconds: (performance.now() - startedAt) / 1_000,
    p50Accepted: percentile(times[202] ?? [], 0.5),
    p99Accepted: percentile(times[202] ?? [], 0.99),
    p99Refused: percentile(times[503] ?? [], 0.99),
  };
}

interface Answers {
  /** Keys by status. */
  readonly keys: Record<number, string[]>;
  readonly times: Record<number, number[]>;
  readonly others: Record<number, number>;
  readonly unanswered: Set<string>;
}

const newAnswers = (): Answers => ({
  keys: { 202: [], 503: [] },
  times: { 202: [], 503: [] },
  others: {},
  unanswered: new Set(),
});

const requestOf = (body: Buffer, { keys, others, unanswered }: Answers) => ({
  method: "POST" as const,
  path: "/v1/orders",
  body,
  setupRequest(request: Request, context: Context): Request {
    const key = randomUUID();
    context.key = key;
    unanswered.add(key);
    const headers = { "content-type": "application/json", "idempotency-key": key };
    return { ...request, headers };
  },
  onResponse(status: number, _: string, context: Context): void {
    const { key = "" } = context;
    unanswered.delete(key);
    if (keys[status] === undefined) others[status] = (others[status] ?? 0) + 1;
    else keys[status].push(key);
  },
});
