import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { claimAll, newTask, openTestStore, testWorkflow } from "../../test/fixtures.ts";
import { openStateStore } from "../open-state-store.ts";

test("the two statements of the pattern do to expired steps what the Supervisor does to them", async () => {
  await using db = await openTestStore();
  await using store = await openStateStore({
    url: db.url,
    applicationName: "test",
    maxConnections: 2,
  });
  const policy = { retry: { failures: 3, backoff: 1_000, max: 1_000 }, onFailure: "halt" } as const;
  await store.registerWorkflow(testWorkflow([{ name: "a", ...policy }], "threshold.v1"));
  const tasks = Array.from({ length: 4 }, () => newTask({ workflow: "threshold.v1" }));
  const submitted = await store.submitTasks(tasks, { actor: "test" });
  const ids = submitted.flatMap((one) => (one.kind === "created" ? [one.taskId] : []));
  await claimAll(store);
  // Without the guard, which refuses to count what did not happen. The last step still has time.
  await db.query("set session_replication_role = replica");
  await db.query("update state.steps set attempt = 3, confirmed_at = now()");
  for (const [failures, id] of ids.slice(0, 3).entries()) {
    await db.query(
      `update state.steps
          set failure_count = ${failures}, start_by = now() - interval '2 s', complete_by = now() - interval '1 s'
        where task_id = $1`,
      [id],
    );
  }
  await db.query("reset session_replication_role");
  const records = () =>
    db.query(
      `select "OrderID", "LockedBy" is null as free, "CompleteBy" is null as timeless, "ProcessState", "FailureCount"
         from state.order_process order by "OrderID"`,
    );

  await db.query("begin");
  for (const statement of statementsOfThePattern()) {
    await db.query(statement.replace(":failures", String(policy.retry.failures)));
  }
  const stated = await records();
  await db.query("rollback");
  const { steps } = await store.findExpired({ batch: 10 });
  const events = steps.map(({ taskId, ...attempt }) => ({
    taskId,
    event: { kind: "expired", ...attempt } as const,
  }));
  await store.applyEvents(events, { actor: "test" });

  expect(stated).toEqual(await records());
  expect(stated).toMatchObject([
    { free: true, timeless: true, ProcessState: "Pending", FailureCount: 1 },
    { free: true, timeless: true, ProcessState: "Pending", FailureCount: 2 },
    { free: true, timeless: true, ProcessState: "Error", FailureCount: 3 },
    { free: false, timeless: false, ProcessState: "Processing", FailureCount: 0 },
  ]);
});

/** Reads the statements that docs/internals/architecture.md shows. */
function statementsOfThePattern(): readonly string[] {
  const page = new URL("../../../../docs/internals/architecture.md", import.meta.url);
  const [, section = ""] = readFileSync(page, "utf8").split(
    "\n## The two statements of the pattern\n",
  );
  const [own = ""] = section.split("\n## ");
  const statements = Array.from(
    own.matchAll(/^```sql\n([\s\S]*?)^```$/gm),
    ([, text = ""]) => text,
  );
  expect(statements).toHaveLength(2);
  return statements;
}
