import { prepareForm } from "@holdfast/contracts";
import { type Metrics, noMetrics } from "@holdfast/runtime";
import type { Pool } from "pg";
import { noTaskCache, taskCache } from "./apply/task-cache.ts";
import { dueIndex } from "./claim/due-index.ts";
import { fairnessGaps } from "./claim/fairness.ts";
import { noScanWindow, scanWindow } from "./claim/scan-window.ts";
import { decisionCounts } from "./metrics/count-decisions.ts";
import { activePartitions } from "./postgres/active-partitions.ts";
import { type CheckedOptions, openCheckedPool } from "./postgres/pool.ts";
import { bindOperations, type StateStore } from "./roles.ts";
import type { StoreContext } from "./store-context.ts";
import { workflowCatalog } from "./workflows/workflow-catalog.ts";

export interface StateStoreOptions extends CheckedOptions {
  /** Whether the status of every task is published to `holdfast.events`; off by default. */
  readonly events?: boolean;
  /**
   * Switches for benchmarks: a store without an optimisation behaves the same, only slower. All on
   * by default.
   */
  readonly optimisations?: Optimisations;
}

interface Optimisations {
  /** Keeps tasks in memory that this instance has just saved or claimed: see `TaskCache`. */
  readonly taskCache?: boolean;
  /**
   * Scans of due and expired steps skip the dead index entries of old snapshots: see `ScanWindow`.
   */
  readonly scanWindow?: boolean;
}

/**
 * Opens the store, and checks that this release can read its schema: throws `store.incompatible` or
 * `store.not_migrated`. The signal ends the wait for the server: then this rejects with its reason.
 * The caller owns the result and disposes of it.
 */
export async function openStateStore({
  events = false,
  optimisations = {},
  ...options
}: StateStoreOptions): Promise<StateStore> {
  const { pool, end } = await openCheckedPool(options);
  prepareForm();
  const { metrics = noMetrics } = options;
  const operations = bindOperations(storeContext(pool, { events, optimisations, metrics }));
  return { ...operations, [Symbol.asyncDispose]: end };
}

interface ContextOptions {
  readonly events: boolean;
  readonly optimisations: Optimisations;
  readonly metrics: Metrics;
}

/** What the operations of one store share, over connections that stay the caller's. */
export function storeContext(
  pool: Pool,
  { events, optimisations, metrics }: ContextOptions,
): StoreContext {
  const { taskCache: hasTaskCache = true, scanWindow: hasScanWindow = true } = optimisations;
  const catalog = workflowCatalog();
  const partitions = activePartitions(pool);
  const newScanWindow = () => (hasScanWindow ? scanWindow() : noScanWindow);
  return {
    pool,
    catalog,
    dueIndex: dueIndex(),
    partitions,
    cache: hasTaskCache ? taskCache(catalog) : noTaskCache,
    dueWindow: newScanWindow(),
    expiredWindow: newScanWindow(),
    fairnessGaps: fairnessGaps({ partitions }),
    contractReadings: new Map(),
    events,
    counts: decisionCounts(metrics),
  };
}
