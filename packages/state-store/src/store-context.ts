import type { Pool } from "pg";
import type { TaskCache } from "./apply/task-cache.ts";
import type { DueIndex } from "./claim/due-index.ts";
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
  /** How far back the scans for due and for expired steps look, each with a window of its own. */
  readonly newScanWindow: () => ScanWindow;
  /** Whether the events of every task are enqueued, or only the messages to its submitter and alerts. */
  readonly events: boolean;
  /** Counts what was committed. */
  readonly counts: DecisionCounts;
}
