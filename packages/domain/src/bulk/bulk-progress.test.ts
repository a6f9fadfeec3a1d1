import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import {
  advanceBulk,
  type BulkOutcome,
  type BulkProgress,
  firstBulkState,
  hasBulkEnded,
  mayApply,
} from "./bulk-progress.ts";

const begin = (waiting: number, canary = 0): BulkProgress => {
  const counts = { waiting, canary, applied: 0, refused: 0, succeeded: 0, failedAgain: 0 };
  return { ...counts, state: firstBulkState(counts) };
};
const apply = (progress: BulkProgress, ...to: readonly BulkOutcome[]) =>
  advanceBulk(progress, "waiting", to);
const verify = (progress: BulkProgress, ...to: readonly BulkOutcome[]) =>
  advanceBulk(progress, "applied", to);

describe("the state of a bulk operation", () => {
  test("is done at once when nothing matches, whatever its canary", () => {
    expect([begin(0).state, begin(0, 5).state]).toEqual(["done", "done"]);
  });

  test("goes from running over verifying to done", () => {
    const applied = apply(begin(2), "applied", "refused");
    expect([begin(2).state, applied.state]).toEqual(["running", "verifying"]);
    expect(verify(applied, "succeeded").state).toBe("done");
  });

  test("is failed when a task failed again after all, and only once all have an outcome", () => {
    const applied = apply(begin(2), "applied", "applied");
    const first = verify(applied, "failedAgain");
    expect([first.state, verify(first, "succeeded").state]).toEqual(["verifying", "failed"]);
  });

  test("is stopped by the first of a canary that fails again, and stays so", () => {
    const stopped = verify(apply(begin(9, 2), "applied", "applied"), "failedAgain");
    expect([stopped.state, mayApply(stopped)]).toEqual(["stopped", 0]);
    expect(verify(stopped, "succeeded")).toMatchObject({ state: "stopped", succeeded: 1 });
  });

  test("leaves the canary only when so many have succeeded: a refused one gives its place to the next", () => {
    const begun = begin(5, 2);
    expect(mayApply(begun)).toBe(2);
    const refused = apply(begun, "refused", "applied");
    expect([refused.state, mayApply(refused)]).toEqual(["canary", 1]);
    const half = verify(apply(refused, "applied"), "succeeded");
    expect([half.state, mayApply(half)]).toEqual(["canary", 0]);
    const whole = verify(half, "succeeded");
    expect([whole.state, mayApply(whole)]).toEqual(["running", 2]);
  });
});

test("no sequence of outcomes loses an item, applies one beyond the canary, or revives an operation that has ended", () => {
  const outcome = fc.constantFrom<BulkOutcome>("applied", "refused", "succeeded", "failedAgain");
  fc.assert(
    fc.property(
      fc.nat({ max: 20 }),
      fc.nat({ max: 25 }),
      fc.array(fc.tuple(fc.boolean(), outcome), { maxLength: 60 }),
      (items, canary, moves) => {
        let progress = begin(items, canary);
        for (const [isApply, to] of moves) {
          const from = isApply ? "waiting" : "applied";
          const isPossible = isApply
            ? mayApply(progress) > 0
            : progress.applied > 0 && (to === "succeeded" || to === "failedAgain");
          if (!isPossible) continue;
          const before = progress;
          progress = advanceBulk(before, from, [to]);
          const { waiting, applied, refused, succeeded, failedAgain } = progress;
          expect(waiting + applied + refused + succeeded + failedAgain).toBe(items);
          expect(
            Math.min(waiting, applied, refused, succeeded, failedAgain),
          ).toBeGreaterThanOrEqual(0);
          if (hasBulkEnded(before)) expect(progress.state).toBe(before.state);
          if (before.state === "canary") {
            expect(applied + succeeded + failedAgain).toBeLessThanOrEqual(canary);
          }
          if (progress.state === "done") expect([waiting, applied, failedAgain]).toEqual([0, 0, 0]);
        }
      },
    ),
  );
});
