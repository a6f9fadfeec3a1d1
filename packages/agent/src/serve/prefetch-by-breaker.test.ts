import { TransientFault } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { virtualClock } from "../../test/virtual-clock.ts";
import { type ResiliencePolicy, resiliencePolicy } from "../attempt/resilience-policy.ts";
import { prefetchByBreaker } from "./prefetch-by-breaker.ts";

const { signal } = new AbortController();
const down = new TransientFault("payments.unreachable", "gone");

interface Situation {
  readonly others?: number | (() => number);
  readonly full?: number;
  readonly random?: number;
  readonly policy?: ResiliencePolicy;
}

/** An instance whose breaker opens after two failures in a row, for five seconds. */
function instance({ others = 2, full = 12, random = 0, policy }: Situation = {}) {
  const clock = virtualClock();
  const guard = policy ?? resiliencePolicy({ retries: 0, failures: 2, openFor: 5_000 }, clock);
  const limits: number[] = [];
  const changes: string[] = [];
  let givenBack = 0;
  const breaker = prefetchByBreaker({
    policy: guard,
    full,
    countOthers: async () => (typeof others === "number" ? others : others()),
    onOpen: () => void (givenBack += 1),
    clock,
    random: () => random,
  });
  breaker.onChange(() => void changes.push(breaker.health().breaker));
  breaker.follow(async (prefetch) => void limits.push(prefetch));
  return {
    clock,
    breaker,
    limits,
    changes,
    givenBack: () => givenBack,
    fail: (): Promise<unknown> =>
      guard.call(() => Promise.reject(down), signal).catch((error: unknown) => error),
    succeed: async (): Promise<void> => {
      await guard.call(async () => "done", signal);
      breaker.succeeded();
    },
  };
}

test("an instance whose breaker opens stops consuming and gives back what it has not begun", async () => {
  const { breaker, limits, changes, givenBack, fail } = instance();
  await fail();
  expect([breaker.isOpen(), limits, givenBack()]).toEqual([false, [], 0]);
  await fail();
  expect([breaker.isOpen(), limits, givenBack()]).toEqual([true, [0], 1]);
  expect(changes).toEqual(["open"]);
  expect(breaker.health()).toEqual({ breaker: "open", openForMs: 5_000 });
});

test("an instance probes with one request after its rest, and doubles its prefetch with its successes", async () => {
  const { breaker, clock, limits, changes, fail, succeed } = instance();
  await fail();
  await fail();
  await clock.pass(5_000);
  expect([breaker.isOpen(), limits]).toEqual([false, [0, 1]]);
  expect(breaker.health()).toEqual({ breaker: "half-open", openForMs: 0 });
  // The probe, and then as many as the prefetch, each time.
  for (let count = 0; count < 1 + 2 + 4 + 8; count += 1) await succeed();
  expect(limits).toEqual([0, 1, 2, 4, 8, 12]);
  for (let count = 0; count < 20; count += 1) await succeed();
  expect(limits).toEqual([0, 1, 2, 4, 8, 12]);
  expect(changes).toEqual(["open", "half-open", "closed", "closed", "closed", "closed"]);
});

/**
 * When an instance that fails each probe consumes again, in milliseconds after the failure before.
 */
async function restsOf(situation: Situation, count: number): Promise<readonly number[]> {
  const { clock, breaker, fail } = instance(situation);
  await fail();
  const rests: number[] = [];
  while (rests.length < count) {
    await fail();
    const from = clock.now();
    while (breaker.health().breaker === "open") await clock.pass(100);
    rests.push(clock.now() - from);
  }
  return rests;
}

test("each failed probe doubles the rest up to a minute while other instances consume", async () => {
  expect(await restsOf({ others: 2 }, 6)).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
});

test("jitter shortens a rest that has grown by up to a fifth, and never below that of the policy", async () => {
  expect(await restsOf({ others: 2, random: 0.5 }, 3)).toEqual([5_000, 9_000, 18_000]);
});

test("an instance without others does not rest longer after a failed probe", async () => {
  expect(await restsOf({ others: 0 }, 4)).toEqual([5_000, 5_000, 5_000, 5_000]);
});

test("an instance that rests longer because of others probes soon after they are gone", async () => {
  let others = 1;
  const { breaker, clock, fail } = instance({ others: () => others });
  await fail();
  for (const rest of [5_000, 10_000, 20_000]) {
    await fail();
    await clock.pass(rest);
    expect(breaker.isOpen()).toBe(false);
  }
  await fail();
  await clock.pass(12_000);
  others = 0;
  expect(breaker.health()).toEqual({ breaker: "open", openForMs: 28_000 });
  await clock.pass(5_000);
  expect(breaker.isOpen()).toBe(false);
});

test("an instance that fails again before its prefetch is full rests longer", async () => {
  const { breaker, clock, fail, succeed } = instance();
  await fail();
  await fail();
  await clock.pass(5_000);
  await succeed();
  await fail();
  await fail();
  await clock.pass(9_900);
  expect(breaker.isOpen()).toBe(true);
  await clock.pass(100);
  expect(breaker.isOpen()).toBe(false);
});

test("a success with a full prefetch makes the next rest as short as the first", async () => {
  const { breaker, clock, fail, succeed } = instance({ full: 2 });
  for (const rest of [5_000, 10_000, 5_000]) {
    if (rest === 10_000) await fail();
    else for (let count = 0; count < 2; count += 1) await fail();
    await clock.pass(rest - 100);
    expect(breaker.isOpen()).toBe(true);
    await clock.pass(100);
    expect(breaker.isOpen()).toBe(false);
    if (rest === 10_000) await succeed();
  }
});

test("an attempt that was begun before and succeeds meanwhile lets the instance consume again", async () => {
  const { breaker, clock, limits, fail, succeed } = instance();
  await fail();
  await fail();
  await clock.pass(5_000);
  await fail();
  // The policy allows a call again after five seconds; the instance itself rests for ten.
  await clock.pass(6_000);
  expect(breaker.isOpen()).toBe(true);
  await succeed();
  expect([breaker.isOpen(), limits]).toEqual([false, [0, 1, 0, 0, 2]]);
});

test("a policy that reports no changes cancels nothing", async () => {
  const policy: ResiliencePolicy = {
    call: (work) => work(),
    health: () => ({ breaker: "open", openForMs: 7 }),
  };
  const { breaker, limits } = instance({ policy });
  expect([breaker.isOpen(), limits]).toEqual([false, []]);
  expect(breaker.health()).toEqual({ breaker: "open", openForMs: 7 });
});

test("an instance that is started while the breaker of its policy is open does not begin to consume", async () => {
  const policy: ResiliencePolicy = {
    call: (work) => work(),
    health: () => ({ breaker: "open", openForMs: 5_000 }),
    onChange: () => () => {},
  };
  expect(instance({ policy }).limits).toEqual([0]);
});

test("an instance that ends while its breaker is open sets no further prefetch", async () => {
  const { breaker, clock, limits, fail } = instance();
  await fail();
  await fail();
  breaker[Symbol.dispose]();
  await clock.pass(60_000);
  expect(limits).toEqual([0]);
});
