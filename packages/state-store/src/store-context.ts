import type { Reading } from "@holdfast/contracts";
import type { Pool } from "pg";
import type { TaskCache } from "./apply/task-cache.ts";
import type { DueIndex } from "./claim/due-index.ts";
import type { FairnessGaps } from "./claim/fairness.ts";
import type { ScanWindow } from "./claim/scan-window.ts";
import type { DecisionCounts } from "./metrics/count-decisions.ts";
import type { ActivePartitions } from "./postgres/active-partitions.ts";
import type { WorkflowCatalog } from "./workflows/workflow-catalog.ts";

/** What the operations of one open store share. */
export interface StoreContext {
  readonly pool: Pool;
  readonly catalog: WorkflowCatalog;
  /** The index in which claims look for due steps. */
  readonly dueIndex: DueIndex;
  /** Which months are scanned. */
  readonly partitions: ActivePartitions;
  /** The tasks that need not be loaded. */
  readonly cache: TaskCache;
  /** How far back the scan for due steps looks. */
  readonly dueWindow: ScanWindow;
  /** How far back the scan for expired steps looks. */
  readonly expiredWindow: ScanWindow;
  /** Closes the gaps in the order of fairness keys, some at a time. */
  readonly fairnessGaps: FairnessGaps;
  /** How contracts read workflows, as far as they were compared. */
  readonly contractReadings: ContractReadings;
  /**
   * Whether the events of every task are enqueued, or only the messages to its submitter and
   * alerts.
   */
  readonly events: boolean;
  /** Counts what was committed. */
  readonly counts: DecisionCounts;
}

/** How contracts read workflows, by what was compared: see `findContractDifferences`. */
export type ContractReadings = Map<string, { readonly reading: Reading; readonly why: string }>;
