import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPgbouncer, startPgbouncer } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { claimAll, completed, newTask, openTestStore, testWorkflow } from "../../test/fixtures.ts";
import { openStateStore } from "../open-state-store.ts";
import { plannerSettings } from "./session-settings.ts";

const program = findPgbouncer();
/** Skipped, and counted as such, where PgBouncer is not installed. */
const testWithPgbouncer = program === null ? test.skip : test;

testWithPgbouncer(
  "behind PgBouncer in transaction mode tasks are submitted, claimed and completed at the same time",
  async () => {
    await using stack = new AsyncDisposableStack();
    const db = stack.use(await openTestStore());
    const folder = await mkdtemp(join(tmpdir(), "holdfast-pgbouncer-"));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const pgbouncer = stack.use(
      await startPgbouncer(program ?? "", {
        url: db.url,
        connectQueries: {
          holdfast: [...plannerSettings, "statement_timeout=10000", "lock_timeout=5000"]
            .map((setting) => `set ${setting}`)
            .join("; "),
        },
        dataFolder: join(folder, "pgbouncer"),
      }),
    );
    const url = `${pgbouncer.urlOf("holdfast")}?pooler=transaction`;
    const open = () => openStateStore({ url, applicationName: "test", maxConnections: 8 });
    const submission = stack.use(await open());
    const schedulers = [stack.use(await open()), stack.use(await open())];
    await submission.registerWorkflow(testWorkflow([{ name: "a" }, { name: "b" }]));

    const [orders, atOnce] = [200, 20];
    const submit = (index: number) =>
      submission.submitTasks([newTask({ idempotency: { key: `key ${index}`, hash: "h" } })], {
        actor: "test",
      });
    const submitting = (async () => {
      // More at a time would wait for the few connections longer than a connection may take.
      for (let from = 0; from < orders; from += atOnce) {
        await Promise.all(Array.from({ length: atOnce }, (_, index) => submit(from + index)));
      }
    })();
    let done = 0;
    const work = async (scheduler: (typeof schedulers)[number], name: string): Promise<void> => {
      while (done < 2 * orders) {
        const claims = await claimAll(scheduler, name);
        const replies = claims.map((claim) => ({
          taskId: claim.taskId,
          event: completed(claim),
          output: {},
        }));
        const { outcomes } = await scheduler.applyEvents(replies, { actor: name });
        expect(outcomes.every(({ applied }) => applied)).toBe(true);
        done += outcomes.length;
      }
    };
    await Promise.all([
      submitting,
      ...schedulers.map((one, index) => work(one, `scheduler-${index}`)),
    ]);
    expect(await submission.countTasks()).toEqual({ processed: orders });
    expect(await submission.findInvariantViolations({ batch: 10 })).toEqual([]);
  },
);
