import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { closeFairnessGaps, type FairClock, rankFairSteps, strideOf } from "./fairness.ts";

const weights = new Map([
  ["a", 1],
  ["b", 1],
  ["c", 2],
  ["d", 5],
  ["e", 100],
]);
const keys = [...weights.keys()];
const weightOf = (key: string): number => weights.get(key) ?? 1;

interface DueStep {
  readonly key: string;
  readonly rank: number;
}

/**
 * Steps that become due, and are claimed as the state store does it, the lowest rank first, or
 * removed.
 */
function queueOfKeys() {
  let due: readonly DueStep[] = [];
  let clocks: ReadonlyMap<string, FairClock> = new Map();
  const head = (): number => Math.min(...due.map(({ rank }) => rank));
  const ranksOf = (key: string): readonly number[] =>
    due.filter((step) => step.key === key).map(({ rank }) => rank);
  const closeGaps = (): void => {
    for (const key of new Set(due.map((step) => step.key))) {
      const ranks = ranksOf(key).toSorted((a, b) => a - b);
      const closed = closeFairnessGaps(head(), strideOf(weightOf(key)), ranks);
      due = [...closed.map((rank) => ({ key, rank })), ...due.filter((step) => step.key !== key)];
    }
  };
  return {
    dueOf: (key: string): number => ranksOf(key).length,
    add(key: string, count: number): void {
      const steps = Array.from({ length: count }, () => ({ key, weight: weightOf(key) }));
      const mine = ranksOf(key);
      const last = new Map(mine.length === 0 ? [] : [[key, Math.max(...mine)]]);
      const queue = { head: due.length === 0 ? null : head(), last, clocks };
      const ranked = rankFairSteps(queue, steps);
      // Of steps with the same rank any may be claimed first: here it is the one that came last.
      due = [...ranked.ranks.map((rank) => ({ key, rank })), ...due];
      clocks = ranked.clocks;
    },
    claim(): string | null {
      const first = due.toSorted((a, b) => a.rank - b.rank)[0];
      due = due.filter((step) => step !== first);
      closeGaps();
      return first?.key ?? null;
    },
    /**
     * Removes steps of a key without serving them: all of which the place is so, and closes the
     * gaps.
     */
    remove(key: string, isRemoved: (place: number) => boolean): void {
      const mine = due.filter((step) => step.key === key).toSorted((a, b) => a.rank - b.rank);
      const removed = new Set(mine.filter((_, place) => isRemoved(place)));
      due = due.filter((step) => !removed.has(step));
      closeGaps();
    },
    /** Forgets keys that the head of the queue has passed, or all but the furthest. */
    forget(): void {
      const nexts = [...clocks.values()].map(({ next }) => next);
      const floor = Math.min(head(), Math.max(...nexts));
      clocks = new Map([...clocks].filter(([, { next }]) => next >= floor));
    },
  };
}

const anyKey = fc.constantFrom(...keys);
const anyAct = fc.oneof(
  fc.record({
    act: fc.constant("add" as const),
    key: anyKey,
    count: fc.integer({ min: 1, max: 12 }),
  }),
  fc.record({ act: fc.constant("claim" as const), count: fc.integer({ min: 1, max: 10 }) }),
  fc.record({ act: fc.constant("forget" as const) }),
);
/** All steps of a key, all but the last ones, every other one. */
const anyRemoval = fc.record({
  act: fc.constant("remove" as const),
  key: anyKey,
  isRemoved: fc.constantFrom(
    () => true,
    (place: number) => place < 7,
    (place: number) => place > 1,
    (place: number) => place % 2 === 0,
  ),
});

/**
 * What two keys have been given while both have steps due differs, by weight, by no more than one
 * step of each: the bound of start-time fair queueing. It holds from any moment on, so no history
 * gives credit or debt.
 */
test("keys with steps due share by weight, whatever happened before", () => {
  fc.assert(
    fc.property(fc.array(anyAct, { maxLength: 60 }), (acts) => {
      const queue = queueOfKeys();
      const served = new Map<string, number>();
      /** What each key of a pair had been given when both began to have steps due, by pair. */
      const since = new Map<string, readonly [number, number]>();
      const shareOf = (key: string): number => (served.get(key) ?? 0) / weightOf(key);

      const check = (): void => {
        for (const one of keys) {
          for (const other of keys.filter((key) => key > one)) {
            const pair = `${one} ${other}`;
            const now = [shareOf(one), shareOf(other)] as const;
            const from = since.get(pair) ?? now;
            const ahead = Math.abs(now[0] - from[0] - (now[1] - from[1]));
            expect(ahead).toBeLessThan(1 / weightOf(one) + 1 / weightOf(other) + 0.001);
            if (queue.dueOf(one) === 0 || queue.dueOf(other) === 0) since.delete(pair);
            else since.set(pair, from);
          }
        }
      };

      for (const one of acts) {
        if (one.act === "add") queue.add(one.key, one.count);
        else if (one.act === "forget") queue.forget();
        else {
          for (let claims = 0; claims < one.count; claims += 1) {
            const key = queue.claim();
            if (key !== null) served.set(key, (served.get(key) ?? 0) + 1);
            check();
          }
        }
        check();
      }
    }),
    { numRuns: 500 },
  );
});

/**
 * What a key is given while another one has steps due is bounded in the same way, whatever it
 * removes and submits again meanwhile. Who removes something itself may lose the turn that it was
 * waiting for, and no more: it is counted anew.
 */
test("no key gets ahead of another by what it removes and submits again", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(anyAct, anyRemoval), { maxLength: 80 }), (acts) => {
      const queue = queueOfKeys();
      const served = new Map<string, number>();
      /**
       * What each key had been given when one began to have steps due, or removed some, by the key
       * that has them.
       */
      const since = new Map<string, ReadonlyMap<string, number>>();
      const begin = (key: string): void => {
        if (queue.dueOf(key) === 0) since.delete(key);
        else if (!since.has(key)) since.set(key, new Map(served));
      };
      const gained = (key: string, from: ReadonlyMap<string, number>): number =>
        ((served.get(key) ?? 0) - (from.get(key) ?? 0)) / weightOf(key);
      const check = (): void => {
        for (const [waiting, from] of since) {
          for (const key of keys.filter((one) => one !== waiting)) {
            const ahead = gained(key, from) - gained(waiting, from);
            expect(ahead).toBeLessThan(1 / weightOf(key) + 1 / weightOf(waiting) + 0.001);
          }
        }
      };

      for (const one of acts) {
        if (one.act === "add") queue.add(one.key, one.count);
        if (one.act === "forget") queue.forget();
        if (one.act === "remove") {
          queue.remove(one.key, one.isRemoved);
          since.delete(one.key);
        }
        for (let left = one.act === "claim" ? one.count : 0; left > 0; left -= 1) {
          const key = queue.claim();
          if (key !== null) served.set(key, (served.get(key) ?? 0) + 1);
          check();
          keys.forEach(begin);
        }
        keys.forEach(begin);
      }
    }),
    { numRuns: 1_000 },
  );
});

/**
 * How many steps of each other key may be claimed before one that waits: one, or as many as the
 * weights say.
 */
const turnsBefore = (queue: ReturnType<typeof queueOfKeys>, key: string): number =>
  keys
    .filter((other) => other !== key && queue.dueOf(other) > 0)
    .reduce((sum, other) => sum + Math.ceil(weightOf(other) / weightOf(key)), 0);

test("a key whose steps were removed waits for no more than a step of each other key", () => {
  const history = fc.array(fc.oneof(anyAct, anyRemoval), { maxLength: 40 });
  fc.assert(
    fc.property(history, anyKey, fc.integer({ min: 0, max: 3 }), (acts, key, kept) => {
      const queue = queueOfKeys();
      for (const one of acts) {
        if (one.act === "add") queue.add(one.key, one.count);
        if (one.act === "claim") for (let left = one.count; left > 0; left -= 1) queue.claim();
        if (one.act === "remove") queue.remove(one.key, one.isRemoved);
      }
      queue.add(key, 50);
      const before = queue.dueOf(key) - kept;
      queue.remove(key, (place) => place < before);
      queue.add(key, 1);
      const allowed = turnsBefore(queue, key);
      let waited = 0;
      while (queue.claim() !== key) waited += 1;
      expect(waited).toBeLessThanOrEqual(allowed);
    }),
    { numRuns: 500 },
  );
});

test("a new key waits for no more than a step of each other key", () => {
  fc.assert(
    fc.property(fc.array(anyAct, { maxLength: 40 }), (acts) => {
      const queue = queueOfKeys();
      for (const one of acts) {
        if (one.act === "add") queue.add(one.key, one.count);
        if (one.act === "claim") for (let left = one.count; left > 0; left -= 1) queue.claim();
      }
      queue.add("new", 1);
      const others = keys.filter((key) => queue.dueOf(key) > 0).length;
      let waited = 0;
      while (queue.claim() !== "new") waited += 1;
      expect(waited).toBeLessThanOrEqual(others);
    }),
  );
});
