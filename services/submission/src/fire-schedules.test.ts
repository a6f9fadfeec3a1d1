import type { SubmissionStore } from "@holdfast/state-store";
import { describe, expect, test } from "@jest/globals";
import { fireSchedules } from "./fire-schedules.ts";

type Found = Awaited<ReturnType<SubmissionStore["fireSchedules"]>>;
type Asked = Parameters<SubmissionStore["fireSchedules"]>[0];

const minute = 60_000;
const start = Date.UTC(2026, 10, 29, 12);
const nothing: Found = { fires: [], troubles: [], nextIn: null, isFull: false, now: start };

/** Rounds against a store whose clock is so far ahead of the clock of the process. */
function looking(found: Partial<Found> = {}) {
  const asked: Asked[] = [];
  const passed: string[] = [];
  const errors: string[] = [];
  let fired = 0;
  let [now, ahead] = [1_000, 0];
  const round = fireSchedules({
    store: {
      async fireSchedules(options) {
        asked.push(options);
        return { ...nothing, now: start + now + ahead, ...found };
      },
    },
    clock: { now: () => now },
    log: {
      info: () => {},
      warn: () => {},
      error: (_: unknown, message?: string) => void errors.push(message ?? ""),
    },
    failpoint: (name) => void passed.push(name),
    actor: "s-1",
    onFired: () => {
      fired += 1;
    },
  });
  return {
    passed,
    errors,
    fired: () => fired,
    /** A round so many milliseconds later, with the clock of the store jumping meanwhile. */
    async after(later: number, jumps = 0) {
      now += later;
      ahead += jumps;
      const rest = await round();
      const { latest, checksRules } = asked.at(-1)!;
      // As the store's clock would say it, had it not jumped.
      return { rest, latest: latest === null ? null : latest - start - now, checksRules };
    },
  };
}

describe("a clock of the store that jumps ahead", () => {
  test("is not known by the first look, and followed by the next ones", async () => {
    const rounds = looking();
    expect((await rounds.after(0)).latest).toBeNull();
    expect((await rounds.after(5_000)).latest).toBe(0);
    // A minute at a time is believed.
    expect((await rounds.after(5_000, minute)).latest).toBe(0);
    expect((await rounds.after(5_000)).latest).toBe(minute);
    expect(rounds.errors).toEqual([]);
  });

  test("fires nothing by it for a quarter of an hour, and is believed then", async () => {
    const rounds = looking();
    await rounds.after(0);
    const day = 24 * 60 * minute;
    expect((await rounds.after(5_000, day)).latest).toBe(0);
    expect((await rounds.after(14 * minute)).latest).toBe(0);
    expect(rounds.errors).toEqual(["store clock jumped ahead: schedules wait"]);
    await rounds.after(minute + 1);
    expect((await rounds.after(5_000)).latest).toBe(day);
  });

  test("is believed at once when it is set back", async () => {
    const rounds = looking();
    await rounds.after(0);
    await rounds.after(5_000, 60 * minute);
    await rounds.after(5_000, -60 * minute);
    expect((await rounds.after(5_000)).latest).toBe(0);
    await rounds.after(5_000, -60 * minute);
    expect((await rounds.after(5_000)).latest).toBe(-60 * minute);
    // Another jump is doubted as the first one was.
    await rounds.after(5_000, 120 * minute);
    expect(rounds.errors).toHaveLength(2);
  });
});

test("what fired is made a task of at once", async () => {
  const task = { schedule: "night", instant: start, outcome: "fired", taskId: "t" } as const;
  const rounds = looking({ fires: [task] });
  await rounds.after(0);
  expect(rounds.fired()).toBe(1);
  expect(rounds.passed).toEqual(["submission.firing", "submission.fired"]);
  const missed = looking({ fires: [{ ...task, outcome: "missed", taskId: null }] });
  await missed.after(0);
  expect(missed.fired()).toBe(0);
});

test.each([
  [null, 5_000],
  [60_000, 5_000],
  [1_200, 1_200],
  [0, 0],
  [-3, 0],
])("with %p milliseconds to the next, it looks again after %p", async (nextIn, rest) => {
  expect((await looking({ nextIn }).after(0)).rest).toBe(rest);
});

test("the rules of zones are checked once, until no round was full", async () => {
  const full = looking({ isFull: true });
  expect([(await full.after(0)).checksRules, (await full.after(0)).checksRules]).toEqual([
    true,
    true,
  ]);
  const rounds = looking();
  expect([(await rounds.after(0)).checksRules, (await rounds.after(0)).checksRules]).toEqual([
    true,
    false,
  ]);
});
