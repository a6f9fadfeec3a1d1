import { describe, expect, test } from "@jest/globals";
import { judge } from "./judge.ts";
import type { Sample } from "./sample.ts";
import { samplesOf } from "./testing.ts";

const withMemory =
  (bytesAt: (minute: number) => number) =>
  (sample: Sample): Sample => ({ ...sample, memory: { Scheduler: bytesAt(sample.minute) } });

const waitingAtTheEnd = (sample: Sample): Sample => ({
  ...sample,
  broker: { queued: sample.minute > 6 ? 5 : 0, allocated: 0 },
});

const verdictOf = (name: string, samples: readonly Sample[]) =>
  judge(samples).verdicts.find((verdict) => verdict.name === name);

const growsWith = (bytesAt: (minute: number) => number) =>
  verdictOf("memory of Scheduler", samplesOf(9, withMemory(bytesAt)))?.grows;

describe("a steady run", () => {
  test("reports no growth if all values stay level", () => {
    expect(judge(samplesOf(9)).verdicts.filter(({ grows }) => grows)).toEqual([]);
  });

  test("ignores growth while it warms up", () => {
    expect(growsWith((minute) => Math.min(minute, 3) * 100_000_000)).toBe(false);
  });

  test("reports no growth if values only go up and down", () => {
    expect(growsWith((minute) => (minute % 3) * 100_000_000 + minute)).toBe(false);
  });

  test("reports growth if the last third is above all of the middle third", () => {
    expect(growsWith((minute) => minute * 100_000_000)).toBe(true);
    expect(growsWith((minute) => 10_000_000_000 + minute)).toBe(false);
  });

  test("states growth per hour and as a ratio", () => {
    const samples = samplesOf(
      9,
      withMemory((minute) => minute * 2_000_000),
    );
    expect(verdictOf("memory of Scheduler", samples)).toMatchObject({
      middle: 10_000_000,
      last: 16_000_000,
      perHour: 120_000_000,
      ratio: 1.6,
    });
  });

  test("has no ratio if the first value is zero", () => {
    const samples = samplesOf(9, waitingAtTheEnd);
    expect(verdictOf("messages in queues", samples)).toMatchObject({ ratio: null, grows: true });
  });

  test("states how many bytes an order leaves, indexes included", () => {
    const { kept, wal } = judge(samplesOf(9));
    expect(kept.find(({ name }) => name === "state.events")).toMatchObject({
      middle: 1_000,
      last: 1_000,
    });
    expect(wal).toEqual({ middle: 5_000, last: 5_000 });
  });

  test("ignores tables that are kept for ever, and small values", () => {
    const names = judge(samplesOf(9)).verdicts.map(({ name }) => name);
    expect(names).toContain("dead rows of state.tasks");
    expect(names).toContain("index state.tasks_unfinished");
    expect(names).not.toContain("index state.events_pkey");
    const small = samplesOf(
      9,
      withMemory(() => 1_000_000),
    );
    expect(verdictOf("memory of Scheduler", small)).toBeUndefined();
  });
});
