import { bandOf, type Priority } from "@holdfast/domain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { claimsBy, count, ofKey, resendAfter } from "../../test/claim-order.ts";
import {
  completed,
  failed,
  openTestStores,
  submitMany,
  submitOne,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";

let db: TestStore;
let submission: StateStore;
let scheduler: StateStore;
beforeAll(async () => {
  const workflow = testWorkflow([{ name: "a" }, { name: "b" }]);
  ({ db, submission, scheduler } = await openTestStores(workflow));
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

describe("bands", () => {
  const submitAs = (priority: Priority, steps = 1) => submitMany(submission, steps, { priority });

  test("a claim takes the urgent band first, and the oldest first within a band", async () => {
    const first = await submitOne(submission);
    await submitAs("batch");
    const second = await submitOne(submission);
    await submitAs("urgent");
    expect(await order("priority")).toEqual(["urgent", "normal", "normal", "batch"]);
    await db.clear();
    expect(first < second).toBe(true);
  });

  test("a claim of the first bands takes nothing else, and says which of its steps are urgent", async () => {
    await submitAs("normal", 3);
    await submitAs("urgent");
    const capacity = [{ lane: "agent", slots: 10 }];
    const upTo = bandOf("urgent");
    const claims = await scheduler.claimDueSteps({ lockedBy: "s", capacity, resendAfter: 0, upTo });
    expect(claims).toMatchObject([{ priority: "urgent" }]);
    expect(await scheduler.countStepsInFlight({ lockedBy: "s" })).toEqual([
      { lane: "agent", inFlight: 1, own: 1, urgent: 1 },
    ]);
    const resent = await scheduler.takeUnconfirmedSteps({ resendAfter });
    expect(resent).toMatchObject([{ taskId: claims[0]?.taskId, priority: "urgent" }]);
    expect(await order("priority")).toEqual(["normal", "normal", "normal"]);
    await db.clear();
  });

  test("an undo goes before urgent work, whatever the priority of its task", async () => {
    const taskId = await submitOne(submission, { priority: "batch" });
    const [call] = await claim(1);
    await submitAs("urgent", 3);
    await scheduler.applyEvents([{ taskId, event: completed(call!) }], actor);
    await scheduler.applyEvents(
      [{ taskId, event: { kind: "undoRequested", code: "test.asked" } }],
      actor,
    );
    expect(await claim(1)).toMatchObject([{ taskId, name: "a:undo" }]);
  });

  test("the last band gets the slots that are reserved for it, and all that others leave", async () => {
    await submitAs("normal", 20);
    await submitAs("batch", 20);
    const priorities = async (slots: number, reserved: number) => {
      const claims = await claim(slots, reserved);
      const ids = claims.map(({ taskId }) => taskId);
      const rows = await db.query<{ priority: string }>(
        "select priority from state.tasks where task_id = any($1)",
        [ids],
      );
      return count(
        rows.map(({ priority }) => priority),
        "batch",
      );
    };
    expect(await priorities(10, 0)).toBe(0);
    expect(await priorities(5, 2)).toBe(2);
    expect(await priorities(1, 1)).toBe(1);
    expect(await priorities(100, 10)).toBe(17);
  });

  test("reserved slots are of use to others while nothing of the last band is due", async () => {
    await submitAs("normal", 20);
    expect(await claim(10, 5)).toHaveLength(10);
  });
});

describe("fairness keys", () => {
  test("share a band by weight, whatever the order in which their steps became due", async () => {
    for (const weight of [1, 2, 5]) {
      await submitMany(submission, 80, ofKey(`weight ${weight}`, weight));
    }
    const claimed = await order("fairness_key", 8);
    const early = claimed.slice(0, 80);
    expect(count(early, "weight 1")).toBeCloseTo(10, -0.5);
    expect(count(early, "weight 2")).toBeCloseTo(20, -0.5);
    expect(count(early, "weight 5")).toBeCloseTo(50, -0.5);
    expect(claimed).toHaveLength(240);
  });

  test("a new key is served at once, and then in turn", async () => {
    await submitMany(submission, 100, ofKey("old"));
    await claim(30);
    await submitMany(submission, 10, ofKey("new"));
    const next = await order("fairness_key");
    expect(next.slice(0, 2)).toContain("new");
    expect(count(next.slice(0, 20), "new")).toBeGreaterThanOrEqual(9);
    expect(count(next.slice(0, 20), "new")).toBeLessThanOrEqual(11);
  });

  test("a key that was idle has saved up nothing", async () => {
    await submitMany(submission, 1, ofKey("idle"));
    await claim(1);
    await submitMany(submission, 200, ofKey("busy"));
    await claim(100);
    await submitMany(submission, 50, ofKey("idle"));
    const next = await order("fairness_key");
    expect(count(next.slice(0, 40), "busy")).toBeGreaterThanOrEqual(19);
  });

  test("a key that alone used the Agent pays nothing for it when others come", async () => {
    await submitMany(submission, 200, ofKey("early"));
    await claim(200);
    await submitMany(submission, 50, ofKey("late"));
    await submitMany(submission, 50, ofKey("early"));
    const next = await order("fairness_key");
    expect(count(next.slice(0, 40), "early")).toBeGreaterThanOrEqual(19);
  });

  test("a step with a key is not claimed before it is due", async () => {
    const taskId = await submitOne(submission, ofKey("ann"));
    const [first] = await claim(1);
    await scheduler.applyEvents([{ taskId, event: failed(first!) }], actor);
    await scheduler.stageDueSteps();
    expect(await claim(10)).toEqual([]);
    await db.query("update state.steps set not_before = now() where process_state = 'pending'");
    await scheduler.stageDueSteps();
    expect(await claim(10)).toMatchObject([{ taskId, attempt: 2 }]);
  });

  test("steps without a key get every other turn beside those with one", async () => {
    await submitMany(submission, 300, ofKey("ann"));
    await submitMany(submission, 300);
    // A Scheduler learns from its scan that there are keys.
    await scheduler.stageDueSteps();
    const early = (await order("coalesce(fairness_key, 'none')")).slice(0, 200);
    expect(count(early, "none")).toBeGreaterThan(60);
    expect(count(early, "none")).toBeLessThan(140);
  });

  test("bands come before keys", async () => {
    await submitMany(submission, 3, { ...ofKey("ann"), priority: "batch" });
    await submitMany(submission, 3, { ...ofKey("ann"), priority: "urgent" });
    await submitMany(submission, 3);
    await scheduler.stageDueSteps();
    const three = (priority: Priority) => [priority, priority, priority];
    expect(await order("priority")).toEqual(
      [three("urgent"), three("normal"), three("batch")].flat(),
    );
  });

  test("four Schedulers together keep the shares", async () => {
    const weights = [1, 2, 3, 4, 5];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const weight = weights[index % weights.length] ?? 1;
        return submitMany(submission, 60, ofKey(`key ${index}`, weight));
      }),
    );
    const stores = await Promise.all([1, 2, 3, 4].map(() => db.open("scheduler")));
    const taken = new Map<string, number>();
    const capacity = [{ lane: "agent", slots: 5 }];
    const most = 480;
    let claims = 0;
    await Promise.all(
      stores.map(async (store, index) => {
        while (claims < most) {
          const some = await store.claimDueSteps({ lockedBy: `s${index}`, capacity, resendAfter });
          claims += some.length;
          for (const { taskId } of some) taken.set(taskId, 1);
        }
      }),
    );
    const rows = await db.query<{ weight: number; steps: number }>(
      `select fairness_weight::integer as weight, count(*)::integer as steps
         from state.tasks where task_id = any($1) group by 1 order by 1`,
      [[...taken.keys()]],
    );
    for (const { weight, steps } of rows) {
      expect(Math.abs(steps / taken.size - weight / 15)).toBeLessThan(0.02);
    }
  });
});
