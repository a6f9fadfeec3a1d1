import type { Metrics } from "@holdfast/runtime";
import type { Pool, PoolClient } from "pg";
import { storeMetrics } from "./store-metrics.ts";

type Callback = (error: Error | null, result: unknown) => void;
type Send = (statement: unknown, values?: unknown, callback?: Callback) => unknown;

/** Begin, commit and the like, which have no file. */
const control = new Set(["begin", "commit", "rollback"]);

/** Measures each statement of a pool from its sending to its answer, and counts those that fail. */
export function measureStatements(pool: Pool, metrics: Metrics): void {
  const took = metrics.histogram(storeMetrics.statement);
  const failed = metrics.counter(storeMetrics.failedStatement);
  metrics.read(storeMetrics.connections, () => [
    [pool.idleCount, "idle"],
    [pool.totalCount - pool.idleCount, "used"],
  ]);
  metrics.read(storeMetrics.maxConnections, () => [[pool.options.max]]);
  metrics.read(storeMetrics.pendingRequests, () => [[pool.waitingCount]]);

  const end = (name: string, from: number, isLost: boolean): void => {
    took((performance.now() - from) / 1_000, name);
    if (isLost) failed(1, name);
  };
  pool.on("connect", (client: PoolClient) => {
    const send = client.query.bind(client) as Send;
    const query: Send = (statement, values, callback) => {
      const name = nameOf(statement);
      if (name === null) return send(statement, values, callback);
      const from = performance.now();
      // As the pool calls it, and as we do.
      if (callback !== undefined) {
        return send(statement, values, (error, result) => {
          end(name, from, Boolean(error));
          callback(error, result);
        });
      }
      const answer = send(statement, values) as Promise<unknown>;
      answer.then(
        () => end(name, from, false),
        () => end(name, from, true),
      );
      return answer;
    };
    client.query = query as typeof client.query;
  });
}

/** The name of its file: what follows a blank is the range of ids. Null: it is not measured. */
function nameOf(statement: unknown): string | null {
  if (typeof statement === "string") return control.has(statement) ? statement : null;
  const { name } = statement as { readonly name?: string };
  if (name === undefined) return null;
  const blank = name.indexOf(" ");
  return blank === -1 ? name : name.slice(0, blank);
}
