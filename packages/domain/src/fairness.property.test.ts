import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { rankFairSteps } from "./fairness.ts";

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

/** Steps that become due and are claimed, as the state store does it: the lowest rank first. */
function queueOfKeys() {
  let due: readonly DueStep[] = [];
  let next: ReadonlyMap<string, number> = new Map();
  return {
    dueOf: (key: string): number => due.filter((step) => step.key === key).length,
    add(key: string, count: number): void {
      const head = due.length === 0 ? null : Math.min(...due.map(({ rank }) => rank));
      const steps = Array.from({ length: count }, () => ({ key, weight: weightOf(key) }));
      const ranked = rankFairSteps({ head, next }, steps);
      due = [...due, ...ranked.ranks.map((rank) => ({ key, rank }))];
      next = ranked.next;
    },
    claim(): string | null {
      const first = due.toSorted((a, b) => a.rank - b.rank)[0];
      due = due.filter((step) => step !== first);
      return first?.key ?? null;
    },
    /** Forgets keys that the head of the queue has passed, or all but the furthest. */
    forget(): void {
      const floor = Math.min(...due.map(({ rank }) => rank), Math.max(...next.values()));
      next = new Map([...next].filter(([, at]) => at >= floor));
    },
  };
}

const anyAct = fc.oneof(
  fc.record({
    act: fc.constant("add" as const),
    key: fc.constantFrom(...keys),
    count: fc.integer({ min: 1, max: 12 }),
  }),
  fc.record({ act: fc.constant("claim" as const), count: fc.integer({ min: 1, max: 10 }) }),
  fc.record({ act: fc.constant("forget" as const) }),
);

/**
 * While two keys both have steps due, what each has been given differs, by weight, by no more than one step of each:
 * the bound of start-time fair queueing. It holds from any moment on, so no history gives credit or debt.
 */
test("keys with steps due share by weight, whatever happened before", () => {
  fc.assert(
    fc.property(fc.array(anyAct, { maxLength: 60 }), (acts) => {
      const queue = queueOfKeys();
      const served = new Map<string, number>();
      /** By pair of keys: what each had been given when both began to have steps due. */
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
