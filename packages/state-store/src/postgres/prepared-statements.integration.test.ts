import { noMetrics } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { openTestStore } from "../../test/fixtures.ts";
import { applyEvents } from "../apply/apply-events.ts";
import { taskCache } from "../apply/task-cache.ts";
import { dueIndex } from "../claim/due-index.ts";
import { noScanWindow } from "../claim/scan-window.ts";
import { decisionCounts } from "../metrics/count-decisions.ts";
import { workflowCatalog } from "../workflows/workflow-catalog.ts";
import { activePartitions } from "./active-partitions.ts";
import { openPool } from "./pool.ts";

/** An id as of a month after January 1970; an id has room for 107,000 of them. */
const idOfMonth = (month: number): string =>
  `${Date.UTC(1970, month, 14).toString(16).padStart(12, "0")}7abc8def0123456789ab`.replace(
    /^(.{8})(.{4})(.{4})(.{4})(.{12})$/,
    "$1-$2-$3-$4-$5",
  );

const reply = (taskId: string) => ({
  taskId,
  event: { kind: "completed", step: "a", attempt: 1, token: crypto.randomUUID() } as const,
});

test("replies whose task ids name any month leave no prepared statement for each of them", async () => {
  await using db = await openTestStore();
  const url = new URL(db.url);
  url.searchParams.set("options", "-c role=holdfast_scheduler");
  const pool = openPool({ url: url.href, applicationName: "test", maxConnections: 1 });
  const catalog = workflowCatalog();
  const partitions = activePartitions(pool);
  const apply = applyEvents({
    pool,
    catalog,
    dueIndex: dueIndex(),
    partitions,
    cache: taskCache(catalog),
    newScanWindow: () => noScanWindow,
    events: false,
    counts: decisionCounts(noMetrics),
  });
  try {
    for (let month = 0; month < 300; month += 1) {
      const ids = [[idOfMonth(month)], [idOfMonth(month), idOfMonth(month + 1)]];
      for (const taskIds of ids) {
        const { outcomes } = await apply(taskIds.map(reply), { actor: "test" });
        expect(outcomes).toEqual(taskIds.map(() => ({ applied: false, reason: "unknown_task" })));
      }
    }
    const { rows } = await pool.query("select name from pg_prepared_statements");
    // Three of all months, and a few that have no months.
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.length).toBeLessThan(12);

    const [ofThisMonth] = await db.query<{ id: string }>("select state.new_task_id() as id");
    await apply([reply(ofThisMonth!.id)], { actor: "test" });
    const { rows: known } = await pool.query("select name from pg_prepared_statements");
    // This month has a partition, so its plans are worth keeping.
    expect(known.length).toBe(rows.length + 3);
  } finally {
    await pool.end();
  }
});
