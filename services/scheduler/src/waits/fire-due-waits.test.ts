import type { SchedulerStore } from "@holdfast/state-store";
import { describe, expect, test } from "@jest/globals";
import { observer } from "../observer.ts";
import { type LoopName, newState } from "../state/scheduler-state.ts";
import { fireDueWaits } from "./fire-due-waits.ts";

type Round = Parameters<SchedulerStore["fireWaits"]>[0];
type Found = Awaited<ReturnType<SchedulerStore["fireWaits"]>>;

const nothing: Found = {
  fired: [],
  postponed: 0,
  held: null,
  nextIn: null,
  now: 1_000_000,
  areUsed: true,
  obsoleteAttempts: [],
  hasNotifications: false,
};

function world() {
  const seen = {
    rounds: [] as Round[],
    woken: [] as LoopName[],
    /** Milliseconds after which a loop is to be woken. */
    wokenIn: [] as number[],
    errors: [] as string[],
  };
  const clock = {
    at: 500,
    now: () => clock.at,
    after(ms: number) {
      seen.wokenIn.push(ms);
      return { cancel: () => {} };
    },
  };
  const state = newState({ maxInFlight: 1 }, clock.now());
  const observed = observer({
    state,
    clock: clock as never,
    wake: (loop) => void seen.woken.push(loop),
  });
  let next: Partial<Found> = {};
  const round = fireDueWaits({
    ...observed,
    store: {
      fireWaits: async (asked) => {
        seen.rounds.push(asked);
        return { ...nothing, ...next };
      },
    },
    clock,
    log: {
      info: () => {},
      error: (_fields: unknown, message?: string) => void seen.errors.push(message ?? ""),
    } as never,
    actor: "scheduler-1",
    notify: () => {},
    refuse: () => {},
  });
  return {
    seen,
    clock,
    ...observed,
    round: (found: Partial<Found> = {}) => ((next = found), round()),
  };
}

describe("the loop of waits", () => {
  test("sleeps until the next deadline, and five seconds at most", async () => {
    const { round } = world();
    expect(await round({ nextIn: 1_234 })).toBe(1_234);
    expect(await round({ nextIn: 40 * 86_400_000 })).toBe(5_000);
    expect(await round({ nextIn: null })).toBe(5_000);
    expect(await round({ nextIn: 0 })).toBe(0);
  });

  test("wakes the claims once a wait has ended, and only then", async () => {
    const { round, seen } = world();
    await round();
    expect(seen.woken).toEqual([]);
    await round({ fired: [{ taskId: "t", step: "rest", late: 3 }] });
    expect(seen.woken).toEqual(["claim"]);
  });

  test("says what the store's clock must say, by its own clock, from the second round on", async () => {
    const { round, seen, clock } = world();
    await round({ now: 1_000_000 });
    clock.at += 5_000;
    // The store's clock jumped by a day meanwhile: what it must say does not follow it.
    await round({ now: 1_000_000 + 86_400_000, held: 2 });
    expect(seen.rounds.map(({ expected }) => expected)).toEqual([null, 1_005_000]);
    expect(seen.errors).toEqual(["store clock jumped ahead"]);
    clock.at += 1_000;
    await round();
    expect(seen.rounds.at(-1)?.expected).toBe(1_000_000 + 86_400_000 + 1_000);
  });

  test("begins at once if a step begins to wait for less time than it would sleep", async () => {
    const { round, seen, see } = world();
    await round({ nextIn: 3_000 });
    see({ kind: "waitOpened", in: 4_000 });
    expect(seen.woken).toEqual([]);
    see({ kind: "waitOpened", in: 50 });
    expect(seen.woken).toEqual(["waits"]);
    see({ kind: "waitOpened", in: 60 });
    expect(seen.woken).toEqual(["waits"]);
  });

  test("comes seldom while no stored workflow has waits, and five seconds after the last one once there is a hint", async () => {
    const { round, seen, see, clock } = world();
    expect(await round({ areUsed: false, nextIn: null })).toBe(60_000);
    clock.at += 2_000;
    see({ kind: "hinted", due: "steps" });
    // Not now: in three seconds, and by the first of several hints.
    expect(seen.wokenIn).toEqual([3_000]);
    see({ kind: "hinted", due: "steps" });
    expect(seen.wokenIn).toEqual([3_000]);
    expect(seen.woken).toEqual(["claim", "claim"]);
    clock.at += 3_000;
    expect(await round({ areUsed: true, nextIn: null })).toBe(5_000);
  });

  test("begins at once by a hint that waits have ended, and once for those that come close together", async () => {
    const { round, seen, see, clock } = world();
    await round({ nextIn: null });
    clock.at += 1_000;
    see({ kind: "hinted", due: "waits" });
    expect(seen).toMatchObject({ woken: ["waits"] });
    await round({ nextIn: null });
    clock.at += 2;
    see({ kind: "hinted", due: "waits" });
    expect(seen.wokenIn).toEqual([3]);
  });
});
