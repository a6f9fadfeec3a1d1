import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import {
  type Failure,
  observeFailure,
  observeNewLogin,
  observeSuccess,
  type ServerState,
  unknownServer,
} from "./server-state.ts";

const minute = 60_000;

const spreads = fc.double({ min: 0, max: 1, noNaN: true });

/** Tries to connect at each instant that the state allows, for so long; returns when that was. */
function tryFor(
  ms: number,
  failureAt: (now: number, attempt: number) => Omit<Failure, "now" | "servers">,
): { readonly state: ServerState; readonly tries: readonly number[] } {
  const tries: number[] = [];
  let state = unknownServer;
  for (let now = 0; now < ms; now = state.nextAt) {
    tries.push(now);
    state = observeFailure(state, { ...failureAt(now, tries.length), now, servers: 1 });
  }
  return { state, tries };
}

test("a server that is back is found after a twentieth of its outage, or a tenth of a second", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), spreads, (backAt, spread) => {
      const { state } = tryFor(backAt, () => ({ kind: "away", spread }));
      expect(state.nextAt - backAt).toBeLessThanOrEqual(Math.max(100, backAt / 20));
    }),
  );
});

test("a server that stays away is tried 30 to 60 times a minute in the end", () => {
  fc.assert(
    fc.property(spreads, (spread) => {
      const { tries } = tryFor(10 * minute, () => ({ kind: "away", spread }));
      const last = tries.filter((at) => at >= 9 * minute).length;
      expect(last).toBeGreaterThanOrEqual(30);
      expect(last).toBeLessThanOrEqual(61);
    }),
  );
});

test("a login that stays refused is tried at most 80 times in the first minute, and 7 times in each later one", () => {
  fc.assert(
    fc.property(fc.array(spreads, { minLength: 1, maxLength: 20 }), (drawn) => {
      const spreadAt = (attempt: number) => drawn[attempt % drawn.length]!;
      const { tries } = tryFor(10 * minute, (_, attempt) => ({
        kind: "refused",
        spread: spreadAt(attempt),
      }));
      expect(tries.filter((at) => at < minute).length).toBeLessThanOrEqual(80);
      for (let from = 2; from < 10; from += 1) {
        const within = tries.filter((at) => at >= from * minute && at < (from + 1) * minute);
        expect(within.length).toBeLessThanOrEqual(7);
        expect(within.length).toBeGreaterThanOrEqual(2);
      }
    }),
  );
});

const steps = fc.array(
  fc.record({
    later: fc.integer({ min: 0, max: 2_000 }),
    kind: fc.constantFrom("lost", "away", "refused", "success", "new login" as const),
    servers: fc.integer({ min: 1, max: 3 }),
    spread: spreads,
  }),
  { maxLength: 200 },
);

test("whatever happens, the next attempt is due within 20 s, and never without end in the past", () => {
  fc.assert(
    fc.property(steps, (all) => {
      let state = unknownServer;
      let now = 0;
      for (const { later, kind, ...failure } of all) {
        now += later;
        if (kind === "success") state = observeSuccess(state, now);
        else if (kind === "new login") state = observeNewLogin(state, now);
        else state = observeFailure(state, { ...failure, kind, now });
        expect(state.nextAt).toBeLessThanOrEqual(now + 20_000);
        expect(JSON.parse(JSON.stringify(state))).toMatchObject({ kind: state.kind });
        if (state.kind === "refused") expect(state.refusedFor).toBeLessThanOrEqual(now);
      }
    }),
  );
});

test("a server that accepts each connection and closes it at once is tried less and less, as one that is away", () => {
  fc.assert(
    fc.property(spreads, (spread) => {
      let state = unknownServer;
      let tries = 0;
      for (let now = 0; now < minute; now = state.nextAt) {
        state = observeSuccess(state, now);
        state = observeFailure(state, { kind: "lost", now: now + 1, servers: 1, spread });
        tries += 1;
      }
      expect(tries).toBeLessThan(200);
    }),
  );
});

test("a cluster of which one node refuses the login and another is away is tried less and less", () => {
  const { tries } = tryFor(10 * minute, (_, attempt) => ({
    kind: attempt % 2 === 0 ? "away" : "refused",
    spread: 0,
  }));
  expect(tries.filter((at) => at >= 9 * minute).length).toBeLessThanOrEqual(24);
});

test("after one of several servers failed, the next is tried at once, and all of them only after a delay", () => {
  const failure = { kind: "away", now: 1_000, servers: 3, spread: 1 } as const;
  const [first, second, third] = [1, 2, 3].map((count) =>
    Array.from({ length: count }).reduce<ServerState>(
      (state) => observeFailure(state, failure),
      unknownServer,
    ),
  );
  expect(first?.nextAt).toBe(1_000);
  expect(second?.nextAt).toBe(1_000);
  expect(third?.nextAt).toBe(1_100);
});

test("a login that has changed is tried at once, and its refusals are counted anew", () => {
  const { state } = tryFor(5 * minute, () => ({ kind: "refused", spread: 1 }));
  expect(state.refusedFor).toBeGreaterThan(4 * minute);
  const changed = observeNewLogin(state, 5 * minute);
  expect(changed).toMatchObject({ refusedFor: 0, nextAt: 5 * minute });
  const again = observeFailure(changed, {
    kind: "refused",
    now: 5 * minute,
    servers: 1,
    spread: 1,
  });
  expect(again).toMatchObject({ refusedFor: 0, nextAt: 5 * minute + 100 });
});
