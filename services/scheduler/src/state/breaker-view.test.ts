import type { Breaker } from "@holdfast/state-store";
import { describe, expect, test } from "@jest/globals";
import { testClock } from "../../test/clock.ts";
import { openState } from "../../test/state.ts";
import { dueProbes, isRamping, limitOfService } from "./remotes.ts";
import { type LoopName, nextWake } from "./scheduler-state.ts";

const closed: Breaker = {
  service: "psp",
  state: "closed",
  reason: "",
  held: false,
  openFor: null,
  throttledFor: null,
  age: 60_000,
};
const open: Breaker = { ...closed, state: "open", openFor: 5_000, age: 0 };

/** The breakers as a Scheduler sees them that has read none yet. */
function newView() {
  const clock = testClock();
  const woken: LoopName[] = [];
  const { state, see } = openState({ clock, wake: (loop) => void woken.push(loop) });
  const { remotes } = state;
  const count = (loop: LoopName): number => woken.filter((one) => one === loop).length;
  see({ kind: "services", found: [{ agent: "payments", service: "psp" }] });
  const offered = [{ lane: "payments", slots: 1 }];
  const view = {
    /** Returns whether the claims are woken. */
    replace(found: readonly Breaker[]): boolean {
      const before = count("claim");
      see({ kind: "breakers", found });
      return count("claim") > before;
    },
    limit: (lane: string, max: number) => limitOfService(remotes, lane, { max, now: clock.now() }),
    isRamping: () => isRamping(remotes, clock.now()),
    dueProbes: () => dueProbes(remotes, clock.now()),
    deferProbe: (service: string) => see({ kind: "noProbe", service }),
    used: () => see({ kind: "offered", to: "all", lanes: offered, offered }),
    nextWakeAt: () => nextWake(state, "remotes", clock.now()),
  };
  return { view, clock, stale: () => count("remotes") };
}

function viewOf(...breakers: readonly Breaker[]) {
  const opened = newView();
  opened.view.replace(breakers);
  return opened;
}

describe("a lane", () => {
  test("of a service without a breaker has its usual limit", () => {
    expect(viewOf(open).view.limit("shipping", 400)).toBe(400);
  });

  test.each<[string, Partial<Breaker>]>([
    ["is open", {}],
    ["is open and its probe is due", { openFor: -1 }],
    ["is held open", { openFor: null, held: true }],
    ["is half-open", { state: "half-open", openFor: null }],
    ["is closed, but the service wants to be left alone", { ...closed, throttledFor: 300 }],
  ])("has no slots while the breaker of its service %s", (_, changes) => {
    expect(viewOf({ ...open, ...changes }).view.limit("payments", 400)).toBe(0);
  });

  test("gets slots in growing numbers once its breaker has closed", () => {
    const { view, clock } = viewOf({ ...closed, age: 0 });
    const limits = [0, 250, 250, 500, 1_000].map((ms) => {
      clock.pass(ms);
      return view.limit("payments", 400);
    });
    expect(limits).toEqual([4, 8, 16, 64, 400]);
  });

  test("gets slots in growing numbers once its service need not be left alone", () => {
    const { view, clock } = viewOf({ ...closed, throttledFor: 300 });
    clock.pass(299);
    expect(view.limit("payments", 400)).toBe(0);
    clock.pass(1);
    expect(view.limit("payments", 400)).toBe(4);
    expect(view.isRamping()).toBe(true);
    clock.pass(10_000);
    expect(view.isRamping()).toBe(false);
  });
});

test("a Scheduler that has not read the breakers yet claims nothing, and then wakes its claims", () => {
  const { view } = newView();
  expect(view.limit("payments", 400)).toBe(0);
  expect(view.replace([])).toBe(true);
  expect(view.limit("payments", 400)).toBe(400);
});

describe("a probe", () => {
  test("is due when the breaker has been open for long enough", () => {
    const { view, clock } = viewOf(open);
    clock.pass(4_999);
    expect(view.dueProbes()).toEqual([]);
    clock.pass(1);
    expect(view.dueProbes()).toEqual(["psp"]);
  });

  test.each<[string, Breaker]>([
    ["is held open by an operator", { ...open, openFor: null, held: true }],
    ["is closed", closed],
  ])("is never due while the breaker %s", (_, breaker) => {
    const { view, clock } = viewOf(breaker);
    clock.pass(1_000_000);
    expect(view.dueProbes()).toEqual([]);
  });

  test("waits while the service wants to be left alone", () => {
    const { view, clock } = viewOf({ ...open, throttledFor: 8_000 });
    clock.pass(7_999);
    expect(view.dueProbes()).toEqual([]);
    clock.pass(1);
    expect(view.dueProbes()).toEqual(["psp"]);
  });

  test("for which there was no step is tried again a second later", () => {
    const { view, clock } = viewOf({ ...open, openFor: 0 });
    view.deferProbe("psp");
    expect(view.dueProbes()).toEqual([]);
    clock.pass(1_000);
    expect(view.dueProbes()).toEqual(["psp"]);
  });
});

test.each<[string, readonly Breaker[], readonly Breaker[], boolean]>([
  ["a breaker that was open is closed", [open], [{ ...closed, age: 0 }], true],
  ["a breaker that was open is gone", [open], [], true],
  ["a breaker stays open", [open], [open], false],
  ["nothing was held back", [], [], false],
  ["a breaker has opened", [], [open], false],
])("that steps are released shows when %s", (_, before, after, expected) => {
  const { view } = viewOf(...before);
  expect(view.replace(after)).toBe(expected);
});

test("a claim has the breakers read if that was half a second ago, once", () => {
  const { view, clock, stale } = viewOf();
  clock.pass(499);
  view.used();
  expect(stale()).toBe(0);
  clock.pass(1);
  for (let claims = 0; claims < 3; claims += 1) view.used();
  expect(stale()).toBe(1);
  view.replace([]);
  clock.pass(500);
  view.used();
  expect(stale()).toBe(2);
});

test.each<[string, readonly Breaker[], number]>([
  ["five seconds while nothing is held back", [], 5_000],
  ["half a second while a breaker is open", [open], 500],
  ["until a probe is due", [{ ...open, openFor: 120 }], 120],
  ["until a service may be called again", [{ ...closed, throttledFor: 90 }], 90],
  [
    "a quarter of a second while steps are released in growing numbers",
    [{ ...closed, age: 0 }],
    250,
  ],
])("the next look is in %s", (_, breakers, ms) => {
  expect(viewOf(...breakers).view.nextWakeAt()).toBe(ms);
});
