import type { TaskEvent } from "@holdfast/domain";
import { describe, expect, test } from "@jest/globals";
import { testClock } from "../../test/clock.ts";
import { newRemotes, noteEvidence, takeRetry } from "./remotes.ts";

const failed = {
  kind: "failed",
  step: "charge",
  attempt: 1,
  token: "t",
  code: "psp.down",
  transient: true,
  attempted: true,
  effect: "unknown",
  retryAfter: null,
} as const;

const delayOf = (event: TaskEvent): number =>
  event.kind === "failed" ? (event.retryAfter ?? 0) : 0;

/** The budgets of remote services, by a clock. */
function retryBudget({ now }: Pick<ReturnType<typeof testClock>, "now">) {
  const remotes = newRemotes(now());
  const completed: TaskEvent = { kind: "completed", step: "charge", attempt: 1, token: "t" };
  return {
    answered: (service: string): void =>
      noteEvidence(remotes, { service, event: completed }, now()),
    spread: (service: string, event: TaskEvent) => takeRetry(remotes, { service, event }, now()),
  };
}

describe("the retry of a failed step", () => {
  const budgetOf = () => {
    const clock = testClock();
    return { clock, budget: retryBudget(clock) };
  };
  const fail = (budget: ReturnType<typeof retryBudget>, times: number): readonly number[] =>
    Array.from({ length: times }, () => delayOf(budget.spread("psp", failed)));

  test("is not delayed while there are few", () => {
    expect(Math.max(...fail(budgetOf().budget, 20))).toBe(0);
  });

  test("comes later the more of them there are, and none comes later than in half a minute", () => {
    const delays = fail(budgetOf().budget, 1_000);
    expect(delays.slice(20, 24)).toEqual([100, 200, 300, 400]);
    expect(delays.at(-1)).toBe(30_000);
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
  });

  test("is not delayed again once the retries before it are past", () => {
    const { budget, clock } = budgetOf();
    fail(budget, 30);
    clock.pass(10_000);
    expect(Math.max(...fail(budget, 20))).toBe(0);
  });

  test("has more room where the service answers a lot", () => {
    const { budget } = budgetOf();
    for (let answers = 0; answers < 10_000; answers += 1) budget.answered("psp");
    expect(fail(budget, 22).at(-1)).toBeLessThan(20);
  });

  test("keeps the delay that its service asked for, if that is longer", () => {
    const { budget } = budgetOf();
    fail(budget, 25);
    expect(delayOf(budget.spread("psp", { ...failed, retryAfter: 5_000 }))).toBe(5_000);
  });

  test.each<[string, TaskEvent]>([
    ["a refusal", { ...failed, transient: false }],
    ["an attempt that did not call", { ...failed, attempted: false }],
    ["a completed step", { kind: "completed", step: "charge", attempt: 1, token: "t" }],
  ])("is not counted after %s", (_, event) => {
    const { budget } = budgetOf();
    for (let times = 0; times < 100; times += 1) expect(budget.spread("psp", event)).toBe(event);
    expect(fail(budget, 1)).toEqual([0]);
  });

  test("of one service does not delay those of another", () => {
    const { budget } = budgetOf();
    fail(budget, 100);
    expect(delayOf(budget.spread("post", failed))).toBe(0);
  });
});
