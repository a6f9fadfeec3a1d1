import { closeFairnessGaps, type FairClock, rankFairSteps, virtualTime } from "@holdfast/domain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Pool } from "pg";
import { makeEnqueued } from "../../test/application.ts";
import { claimsBy, count, ofKey, resendAfter } from "../../test/claim-order.ts";
import {
  attemptOf,
  claimAll,
  completed,
  newTask,
  openTestStores,
  submitMany,
  submitOne,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { activePartitions } from "../postgres/active-partitions.ts";
import type { StateStore } from "../roles.ts";
import { fairnessGaps } from "./fairness.ts";

let db: TestStore;
let submission: StateStore;
let scheduler: StateStore;
let operator: StateStore;
let supervisor: StateStore;
let pool: Pool;
beforeAll(async () => {
  const steps = [{ name: "a" }, { name: "b" }];
  ({
    db,
    submission,
    scheduler,
    supervisor,
    operations: operator,
  } = await openTestStores(testWorkflow(steps), { ...testWorkflow(steps), name: "other.v1" }));
  pool = new Pool({ connectionString: db.url });
});
afterAll(async () => {
  await pool.end();
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("fairness_keys"));

const actor = { actor: "s" };
const { claim, order } = claimsBy(
  () => scheduler,
  () => db,
);

/** Closes gaps at once, however long ago the last look was. */
const closeGaps = () => fairnessGaps({ partitions: activePartitions(pool) }, () => 0)(pool);

const undoRequested = { kind: "undoRequested", code: "test.asked" } as const;
/** Applies the same event to many tasks. */
async function applyToAll(
  taskIds: readonly string[],
  event: typeof undoRequested | { readonly kind: "paused" | "resumed" },
): Promise<void> {
  for (let at = 0; at < taskIds.length; at += 200) {
    const some = taskIds.slice(at, at + 200).map((taskId) => ({ taskId, event }));
    await operator.applyEvents(some, actor);
  }
}

test("the store ranks as the domain does, whatever happened before", async () => {
  const known = new Map<string, { readonly rank: number; readonly key: string }>();
  let clocks: ReadonlyMap<string, FairClock> = new Map();
  const keyOf = (index: number) => ({ key: `key ${index % 4}`, weight: 1 + (index % 3) });
  const ranksOf = (wanted: string) =>
    [...known].flatMap(([id, { key, rank }]) => (key === wanted ? [{ id, rank }] : []));
  const headOf = () => Math.min(...[...known.values()].map(({ rank }) => rank));
  const submitSome = async (from: number, steps: number): Promise<void> => {
    const fair = Array.from({ length: steps }, (_, index) =>
      keyOf(from + index * (1 + (from % 2))),
    );
    const submitted = await submission.submitTasks(
      fair.map((fairness) => newTask({ fairness })),
      { actor: "test" },
    );
    const head = known.size === 0 ? null : headOf();
    const keys = new Set([...known.values()].map(({ key }) => key));
    const last = new Map(
      [...keys].map((key) => [key, Math.max(...ranksOf(key).map(({ rank }) => rank))] as const),
    );
    const ranked = rankFairSteps({ head, last, clocks }, fair);
    clocks = ranked.clocks;
    submitted.forEach((one, index) => {
      const { key } = fair[index]!;
      if (one.kind === "created") known.set(one.taskId, { rank: ranked.ranks[index] ?? 0, key });
    });
  };
  const cancelSome = async (share: number): Promise<void> => {
    const cancelled = [...known.keys()].filter((_, index) => index % 5 < share);
    await applyToAll(cancelled, undoRequested);
    for (const taskId of cancelled) known.delete(taskId);
  };
  const stage = async (): Promise<void> => {
    await closeGaps();
    for (const [key, { stride }] of clocks) {
      const mine = ranksOf(key).toSorted((a, b) => a.rank - b.rank);
      const ranks = closeFairnessGaps(
        headOf(),
        stride,
        mine.map(({ rank }) => rank),
      );
      for (const [index, { id }] of mine.entries()) known.set(id, { rank: ranks[index]!, key });
    }
  };
  const compare = async (): Promise<void> => {
    const rows = await db.query<{ id: string; rank: number }>(
      `select task_id::text as id, (extract(epoch from rank) * 1000)::float8 as rank
         from state.steps where rank is not null`,
    );
    expect(rows.map(({ id }) => id).toSorted()).toEqual([...known.keys()].toSorted());
    const apart = rows.map(({ id, rank }) => Math.abs(rank - (known.get(id)?.rank ?? 0)));
    expect(Math.max(0, ...apart)).toBeLessThan(0.2);
  };
  for (let round = 0; round < 12; round += 1) {
    await submitSome(round, 1 + ((round * 7) % 10));
    await compare();
    await cancelSome(round % 4);
    await submitSome(round + 1, 1 + (round % 3));
    await compare();
    await stage();
    await compare();
    // Every third time nothing is left.
    const claims = await claim(round % 3 === 2 ? 500 : 1 + ((round * 5) % 8));
    for (const { taskId } of claims) known.delete(taskId);
    await compare();
    if (round % 4 === 3) {
      await supervisor.deletePassedFairnessKeys({ batch: 100 });
      const floor = Math.min(headOf(), Math.max(...[...clocks.values()].map(({ next }) => next)));
      clocks = new Map([...clocks].filter(([, { next }]) => next >= floor));
    }
  }
});

describe("what leaves the queue without being served costs its key nothing", () => {
  const submit = async (key: string, tasks: number, workflow = "test.v1") => {
    const ids: string[] = [];
    for (let left = tasks; left > 0; left -= 200) {
      const some = Array.from({ length: Math.min(left, 200) }, () =>
        newTask({ workflow, fairness: { key, weight: 1 } }),
      );
      for (const one of await submission.submitTasks(some, { actor: "test" })) {
        if (one.kind === "created") ids.push(one.taskId);
      }
    }
    return ids;
  };
  /** Steps of Bob that are claimed before one of these tasks, while he always has some due. */
  const waited = async (taskIds: readonly string[]): Promise<number> => {
    for (let steps = 0; steps < 100; steps += 1) {
      const [first] = await claim(1);
      if (taskIds.includes(first!.taskId)) return steps;
      await submit("bob", 1, "other.v1");
    }
    return Number.POSITIVE_INFINITY;
  };
  /** How many of the next claims are of these tasks. */
  const shareOf = async (taskIds: readonly string[], claims: number): Promise<number> => {
    let mine = 0;
    for (let left = claims; left > 0; left -= 1) {
      const [first] = await claim(1);
      if (taskIds.includes(first!.taskId)) mine += 1;
      else await submit("bob", 1, "other.v1");
    }
    return mine;
  };
  beforeEach(async () => {
    await submit("bob", 5, "other.v1");
  });

  test("2,000 steps that are cancelled, before the next one is submitted", async () => {
    await applyToAll(await submit("ann", 2_000), undoRequested);
    expect(await waited(await submit("ann", 1))).toBeLessThanOrEqual(1);
  });

  test("600 steps that are cancelled but for the last two", async () => {
    const ann = await submit("ann", 600);
    await applyToAll(ann.slice(0, -2), undoRequested);
    await closeGaps();
    expect(await waited(ann)).toBeLessThanOrEqual(1);
    expect(await waited(ann)).toBeLessThanOrEqual(1);
  });

  test("most of 100 steps that are cancelled, with gaps between those that are left", async () => {
    const ann = await submit("ann", 100);
    await applyToAll(
      ann.filter((_, index) => index < 20 || index % 3 > 0),
      undoRequested,
    );
    await closeGaps();
    expect(await shareOf(ann, 20)).toBeGreaterThanOrEqual(9);
  });

  test("a step that is left alone, once a Scheduler stages steps", async () => {
    const ann = await submit("ann", 10);
    await applyToAll(ann.slice(0, -1), undoRequested);
    const rankOf = async () =>
      (
        await db.query<{ rank: string }>(
          "select rank::text from state.steps where task_id = $1 and rank is not null",
          [ann.at(-1)],
        )
      )[0]!.rank;
    const before = await rankOf();
    while ((await rankOf()) === before) await scheduler.stageDueSteps();
    expect(await waited(ann)).toBeLessThanOrEqual(1);
  });

  test("steps whose tasks are paused and resumed, twice", async () => {
    const ann = await submit("ann", 200);
    for (const kind of ["paused", "resumed", "paused", "resumed"] as const) {
      await applyToAll(ann, { kind });
    }
    expect(await waited(ann)).toBeLessThanOrEqual(1);
    expect(await shareOf(ann, 20)).toBeGreaterThanOrEqual(9);
  });

  test("steps whose workflow is paused and resumed, twice", async () => {
    const ann = await submit("ann", 200);
    const pause = { kind: "workflow", name: "test.v1", actor: "Ann", reason: "test" } as const;
    for (let times = 0; times < 2; times += 1) {
      await operator.pause(pause);
      while ((await scheduler.applyPauses()) > 0);
      await operator.resume(pause);
      while ((await scheduler.applyPauses()) > 0);
      await scheduler.stageDueSteps();
    }
    expect(await waited(ann)).toBeLessThanOrEqual(1);
    expect(await shareOf(ann, 20)).toBeGreaterThanOrEqual(9);
  });

  test("steps that are requeued again and again, because no Agent had them", async () => {
    const [first] = await submit("eve", 1);
    const only = [{ lane: "agent", slots: 7 }];
    const claims = await scheduler.claimDueSteps({ lockedBy: "s", capacity: only, resendAfter });
    await submit("bob", 5, "other.v1");
    let mine = claims.find(({ taskId }) => taskId === first)!;
    for (let times = 0; times < 5; times += 1) {
      const event = { kind: "stopped", effect: "none", ...attemptOf(mine) } as const;
      await scheduler.applyEvents([{ taskId: mine.taskId, event }], actor);
      await db.query(
        "update state.steps set not_before = now() where process_state = 'pending' and rank is null",
      );
      await scheduler.stageDueSteps();
      let steps = 0;
      for (; steps < 10; steps += 1) {
        const [one] = await claim(1);
        mine = one!;
        if (mine.taskId === first) break;
        await submit("bob", 1, "other.v1");
      }
      expect(steps).toBeLessThanOrEqual(1);
    }
  });

  test("but steps that another transaction is about to claim do not put a key before what it was served", async () => {
    await claim(5);
    await submit("bob", 30);
    const ann = await submit("ann", 20);
    const client = await pool.connect();
    await client.query("begin");
    const locked = await client.query(
      `select task_id::text as id from state.steps join state.tasks using (task_id)
        where tasks.fairness_key = 'bob' and rank is not null order by rank limit 10 for no key update of steps`,
    );
    expect(locked.rows).toHaveLength(10);
    const claims = await claim(30);
    expect(claims.filter(({ taskId }) => ann.includes(taskId))).toHaveLength(20);
    const [next] = await submit("ann", 1);
    await closeGaps();
    await client.query("rollback");
    client.release();
    const isLocked = new Set(locked.rows.map(({ id }) => id));
    const afterwards = (await claim(30)).map(({ taskId }) => taskId);
    expect(afterwards.slice(0, 10).every((taskId) => isLocked.has(taskId))).toBe(true);
    expect(afterwards.slice(10, 12)).toContain(next);
  });

  test("and gains it nothing: who cancels and submits again after each claim gets no more than its turns", async () => {
    let ann = await submit("ann", 3);
    const all = [...ann];
    let mine = 0;
    for (let left = 12; left > 0; left -= 1) {
      const [first] = await claim(1);
      if (all.includes(first!.taskId)) mine += 1;
      else await submit("bob", 1, "other.v1");
      await applyToAll(
        ann.filter((taskId) => taskId !== first!.taskId),
        undoRequested,
      );
      ann = await submit("ann", 3);
      all.push(...ann);
    }
    expect(mine).toBeLessThanOrEqual(7);
  });
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
      claim: { lockedBy: "s", capacity: [{ lane: "agent", slots: 5 }], resendAfter },
    });
    expect(claims).toMatchObject([{ taskId, name: "b" }]);
  });

  test("an undo", async () => {
    const taskId = await submitOne(submission, ofKey("ann"));
    const [first] = await claim(1);
    await supervisor.applyEvents([{ taskId, event: completed(first!) }], actor);
    await operator.applyEvents([{ taskId, event: undoRequested }], actor);
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
    await makeEnqueued(db, submission);
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
