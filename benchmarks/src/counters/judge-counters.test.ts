import { describe, expect, test } from "@jest/globals";
import { type CounterRun, judgeCounters, lowestOf } from "./judge-counters.ts";

const run = (counters: CounterRun["counters"], more: Partial<CounterRun> = {}): CounterRun => ({
  date: "2026-11-27",
  node: "24.21.0",
  postgres: "18.4",
  counters,
  ...more,
});

describe("the check of the counters", () => {
  test("accepts a counter that rose by a twentieth or fell", () => {
    const found = run({ "lone.store.rows": 10.5, "lone.scheduler.statements": 3 });
    const baseline = run({ "lone.store.rows": 10, "lone.scheduler.statements": 19 });
    expect(judgeCounters(found, baseline, []).failures).toEqual([]);
  });

  test("refuses a counter that rose by more, and prints the line that would accept it", () => {
    const { failures } = judgeCounters(
      run({ "lone.store.rows": 10.6 }),
      run({ "lone.store.rows": 10 }),
      [],
    );
    expect(failures).toEqual([expect.stringContaining("rose by 6.0 %, from 10 to 10.6")]);
    expect(failures).toEqual([expect.stringContaining("| lone.store.rows | 10 | 10.6 | … |")]);
  });

  test("names a counter that another run of the same code could find too high", () => {
    const nearAt = (now: number) =>
      judgeCounters(run({ "lone.store.rows": now }), run({ "lone.store.rows": 10 }), []).near;
    expect(nearAt(10.35)).toEqual([]);
    expect(nearAt(10.45)).toEqual([
      expect.stringContaining("| lone.store.rows | 10 | 10.45 | … |"),
    ]);
  });

  test("accepts a rise that a line accepts, and one more after it", () => {
    const rises = [
      { counter: "lone.store.rows", from: 12, to: 14 },
      { counter: "lone.store.rows", from: 10, to: 12 },
    ];
    const baseline = run({ "lone.store.rows": 10 });
    expect(judgeCounters(run({ "lone.store.rows": 14.5 }), baseline, rises).failures).toEqual([]);
    expect(judgeCounters(run({ "lone.store.rows": 15 }), baseline, rises).failures).toHaveLength(1);
  });

  test("ignores a line that starts from another figure or is about another counter", () => {
    const rises = [
      { counter: "lone.store.rows", from: 9, to: 20 },
      { counter: "lone.store.walBytes", from: 10, to: 20 },
    ];
    const baseline = run({ "lone.store.rows": 10 });
    expect(judgeCounters(run({ "lone.store.rows": 20 }), baseline, rises).failures).toHaveLength(1);
  });

  test("lets counters of batches rise to twice their figure", () => {
    const baseline = run({ "backlog.scheduler.statements": 0.2 });
    const failuresAt = (now: number) =>
      judgeCounters(run({ "backlog.scheduler.statements": now }), baseline, []).failures;
    expect(failuresAt(0.4)).toEqual([]);
    expect(failuresAt(0.41)).toHaveLength(1);
  });

  test("does not compare across versions of the programs that a counter depends on", () => {
    const counters = { "lone.agents.allocatedBytes": 1, "lone.store.walBytes": 1 };
    const doubled = Object.fromEntries(Object.keys(counters).map((name) => [name, 2]));
    const found = run(doubled, { node: "26.1.0", postgres: "19.0" });
    expect(judgeCounters(found, run(counters), [])).toEqual({
      failures: [],
      near: [],
      skipped: [
        "lone.agents.allocatedBytes: it was counted with Node 24.21.0, and this is 26.1.0",
        "lone.store.walBytes: it was counted with Postgres 18.4, and this is 19.0",
      ],
    });
  });

  test("takes the lower figure of two runs", () => {
    const one = run({ "lone.store.rows": 31, "lone.store.walBytes": 8_700 });
    const other = run({ "lone.store.rows": 32, "lone.store.walBytes": 8_600 });
    expect(lowestOf(one, other).counters).toEqual({
      "lone.store.rows": 31,
      "lone.store.walBytes": 8_600,
    });
  });

  test("says which counters are new and which were not counted", () => {
    const found = run({ "lone.agents.messages": 3 });
    const baseline = run({ "lone.agents.instructions": 3 });
    expect(judgeCounters(found, baseline, []).skipped).toEqual([
      "lone.agents.instructions: it was not counted",
      "lone.agents.messages: it is new",
    ]);
  });
});
