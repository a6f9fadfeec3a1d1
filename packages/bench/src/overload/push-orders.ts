import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import autocannon, { type Request, type Result } from "autocannon";
import { percentile } from "../statistics.ts";

const order = readFileSync(new URL("../../../../docs/order.json", import.meta.url));

/** Milliseconds in which all connect at the same moment; what they send then is not timed. */
const connectingFor = 2_000;

export interface Push {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second, whatever becomes of those before; null: as many as are answered. */
  readonly rate: number | null;
}

/** What became of orders that were pushed at submission. */
export interface Pushed {
  /** Their idempotency keys. */
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
  /** The end came before the answer: each may be written, once. */
  readonly unanswered: readonly string[];
  /** Answers that are neither 202 nor 503, by status. */
  readonly others: Readonly<Record<number, number>>;
  /** Connections that broke, and requests that timed out. */
  readonly broken: number;
  readonly seconds: number;
  /** Milliseconds in which 99 of 100 had their answer. */
  readonly p99Accepted: number;
  readonly p99Refused: number;
}

interface Context {
  key?: string;
}

/** Submits orders, each under a key of its own, and says what was answered to each of them. */
export async function pushOrders({ url, connections, seconds, rate }: Push): Promise<Pushed> {
  const keys: Record<number, string[]> = { 202: [], 503: [] };
  const unanswered = new Set<string>();
  const times: Record<number, number[]> = { 202: [], 503: [] };
  const others: Record<number, number> = {};
  const startedAt = performance.now();
  const options = {
    url,
    connections,
    duration: seconds,
    timeout: 60,
    ...(rate === null ? {} : { overallRate: rate }),
    requests: [
      {
        method: "POST" as const,
        path: "/v1/orders",
        body: order,
        setupRequest(request: Request, context: Context): Request {
          const key = randomUUID();
          context.key = key;
          unanswered.add(key);
          const headers = { "content-type": "application/json", "idempotency-key": key };
          return { ...request, headers };
        },
        onResponse(status: number, _: string, context: Context) {
          const { key = "" } = context;
          unanswered.delete(key);
          if (keys[status] === undefined) others[status] = (others[status] ?? 0) + 1;
          else keys[status].push(key);
        },
      },
    ],
  };
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const run = autocannon(options, (error: unknown, result) =>
    error === null ? resolve(result) : reject(error),
  );
  run.on("response", (_client, status, _bytes, ms) => {
    if (performance.now() - ms - startedAt > connectingFor) times[status]?.push(ms);
  });
  const { errors, timeouts } = await promise;
  return {
    accepted: keys[202] ?? [],
    refused: keys[503] ?? [],
    unanswered: [...unanswered],
    others,
    broken: errors + timeouts,
    seconds: (performance.now() - startedAt) / 1_000,
    p99Accepted: percentile(times[202] ?? [], 0.99),
    p99Refused: percentile(times[503] ?? [], 0.99),
  };
}
