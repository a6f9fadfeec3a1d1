import { rankFairSteps, virtualTime } from "@holdfast/domain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { claimsBy, count, ofKey, relayAfter } from "../../test/claim-order.ts";
import {
  claimAll,
  completed,
  newTask,
  openTestStores,
  submitMany,
  submitOne,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { StateStore } from "../state-store.ts";

let db: TestStore;
let submission: StateStore;
let scheduler: StateStore;
let operator: StateStore;
let supervisor: StateStore;
beforeAll(async () => {
  const workflow = testWorkflow([{ name: "a" }, { name: "b" }]);
  ({
    db,
    submission,
    scheduler,
    supervisor,
    operations: operator,
  } = await openTestStores(workflow));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("fairness_keys"));

const actor = { actor: "s" };
const { claim, order } = claimsBy(
  () => scheduler,
  () => db,
);

test("the store ranks as the domain does, whatever happened before", async () => {
  const known = new Map<string, number>();
  let next: ReadonlyMap<string, number> = new Map();
  const keyOf = (index: number) => ({ key: `key ${index % 4}`, weight: 1 + (index % 3) });
  const submitSome = async (from: number, steps: number): Promise<void> => {
    const fair = Array.from({ length: steps }, (_, index) =>
      keyOf(from + index * (1 + (from % 2))),
    );
    const submitted = await submission.submitTasks(
      fair.map((fairness) => newTask({ fairness })),
      { actor: "test" },
    );
    const head = known.size === 0 ? null : Math.min(...known.values());
    const ranked = rankFairSteps({ head, next }, fair);
    next = ranked.next;
    submitted.forEach((one, index) => {
      if (one.kind === "created") known.set(one.taskId, ranked.ranks[index] ?? 0);
    });
  };
  const compare = async (): Promise<void> => {
    const rows = await db.query<{ id: string; rank: number }>(
      `select task_id::text as id, (extract(epoch from rank) * 1000)::float8 as rank
         from state.steps where rank is not null`,
    );
    expect(new Map(rows.map(({ id, rank }) => [id, Math.round(rank)]))).toEqual(
      new Map([...known].map(([id, rank]) => [id, Math.round(rank)])),
    );
  };
  for (let round = 0; round < 12; round += 1) {
    await submitSome(round, 1 + ((round * 7) % 10));
    await compare();
    // Every third time nothing is left.
    const claims = await claim(round % 3 === 2 ? 500 : 1 + ((round * 5) % 8));
    for (const { taskId } of claims) known.delete(taskId);
    await compare();
    if (round % 4 === 3) await supervisor.deletePassedFairnessKeys({ batch: 100 });
  }
});

describe("every way in which a step becomes due ranks it by its key", () => {
  const ranks = () =>
    db.query<{ name: string; is_virtual: boolean }>(
      `select name, extract(epoch from rank) * 1000 >= ${virtualTime} as is_virtual
         from state.steps where process_state = 'pending'`,
    );

  test("the reply to the step before, and the claim in its transaction takes it", async () => {
    const taskId = await submitOne(submission, ofKey("ann"));
    const [first] = await claim(1);
    const { claims } = await scheduler.applyEvents([{ taskId, event: completed(first!) }], {
      ...actor,
      claim: { lockedBy: "s", capacity: [{ lane: "agent", slots: 5 }], relayAfter },
    });
    expect(claims).toMatchObject([{ taskId, name: "b" }]);
  });

  test("an undo", async () => {
    const taskId = await submitOne(submission, ofKey("ann"));
    const [first] = await claim(1);
    await supervisor.applyEvents([{ taskId, event: completed(first!) }], actor);
    const event = { kind: "undoRequested", code: "test.asked" } as const;
    await operator.applyEvents([{ taskId, event }], actor);
    expect(await ranks()).toEqual([{ name: "a:undo", is_virtual: true }]);
  });

  test("the end of a pause", async () => {
    await submitOne(submission, ofKey("ann"));
    const pause = { kind: "workflow", name: "test.v1", actor: "Ann", reason: "test" } as const;
    await operator.pause(pause);
    await scheduler.applyPauses();
    expect(await claim(1)).toEqual([]);
    await operator.resume(pause);
    await scheduler.applyPauses();
    await scheduler.stageDueSteps();
    expect(await ranks()).toEqual([{ name: "a", is_virtual: true }]);
    expect(await claimAll(scheduler)).toHaveLength(1);
    await scheduler.applyPauses();
  });

  test("an application's own transaction, at the next scan", async () => {
    await db.query(
      "select state.submit_task('test.v1', '{}', fairness_key => 'ann', fairness_weight => 7)",
    );
    await scheduler.stageDueSteps();
    expect(await ranks()).toEqual([{ name: "a", is_virtual: true }]);
    const [row] = await db.query("select fairness_key, fairness_weight from state.tasks");
    expect(row).toEqual({ fairness_key: "ann", fairness_weight: 7 });
  });
});

describe("what is remembered of keys", () => {
  const keys = async () =>
    (
      await db.query<{ key: string }>(
        "select key from state.fairness_keys where key <> '' order by key",
      )
    ).map(({ key }) => key);

  test("is deleted once the queue has passed them, and the order stays", async () => {
    for (const key of ["a", "b", "c"]) await submitMany(submission, 2, ofKey(key));
    await submitMany(submission, 30, ofKey("long"));
    await claim(20);
    expect(await supervisor.deletePassedFairnessKeys({ batch: 100 })).toBe(3);
    expect(await keys()).toEqual(["long"]);
    await submitMany(submission, 5, ofKey("a"));
    const next = await order("fairness_key");
    expect(count(next.slice(0, 10), "a")).toBeGreaterThanOrEqual(4);
  });

  test("is deleted but for the furthest when nothing is due, in batches", async () => {
    for (const key of ["a", "b", "c", "d"]) await submitMany(submission, 1, ofKey(key));
    await submitMany(submission, 3, ofKey("far"));
    await claim(100);
    expect(await supervisor.deletePassedFairnessKeys({ batch: 3 })).toBe(3);
    expect(await supervisor.deletePassedFairnessKeys({ batch: 3 })).toBe(1);
    expect(await keys()).toEqual(["far"]);
  });
});
