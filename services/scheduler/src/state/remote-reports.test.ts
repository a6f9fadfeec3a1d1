import type { TaskEvent } from "@holdfast/domain";
import type { Breaker } from "@holdfast/state-store";
import { describe, expect, test } from "@jest/globals";
import { testClock } from "../../test/clock.ts";
import { openState, replied } from "../../test/state.ts";
import { type RemoteReport, reportOf } from "./remotes.ts";

const attempt = { step: "charge", attempt: 1, token: "t-1" };
const completed: TaskEvent = { kind: "completed", ...attempt };
const failed = {
  kind: "failed",
  ...attempt,
  code: "psp.down",
  transient: true,
  attempted: true,
  effect: "unknown",
  retryAfter: null,
} as const;

const breaker: Breaker = {
  service: "psp",
  state: "closed",
  reason: "",
  held: false,
  openFor: null,
  throttledFor: null,
  age: 60_000,
};

/** What is reported of a service whose breaker is as it says. */
function reportsOf({ isClosed = true, throttledFor = 0 } = {}) {
  const clock = testClock();
  const { state, see, woken } = openState({ clock });
  const isKnown = !isClosed || throttledFor > 0;
  const found = { ...breaker, state: isClosed ? "closed" : "open", throttledFor } as const;
  see({ kind: "breakers", found: isKnown ? [found] : [] });
  const gathered = () => reportOf(state.remotes);
  const reports = {
    note: (service: string, event: TaskEvent): void => see(replied(service, event)),
    gathered,
    written: (report: RemoteReport): void => see({ kind: "reported", report }),
    isEmpty: (): boolean => Object.values(gathered()).every(({ length }) => length === 0),
  };
  return { clock, reports, woken };
}

describe("a service", () => {
  test("is reported once it has failed ten times in a row for a second", () => {
    const { clock, reports } = reportsOf();
    for (let failures = 0; failures < 10; failures += 1) {
      expect(reports.isEmpty()).toBe(true);
      reports.note("psp", failed);
      clock.pass(120);
    }
    expect(reports.gathered()).toEqual({
      failing: [{ service: "psp", reason: "10 attempts in a row failed, the last with psp.down" }],
      throttles: [],
      outcomes: [],
    });
  });

  test("is not reported if it says each time when to come back", () => {
    const { clock, reports } = reportsOf();
    for (let failures = 0; failures < 50; failures += 1) {
      reports.note("psp", { ...failed, retryAfter: 200, paces: true });
      clock.pass(120);
    }
    expect(reports.gathered().failing).toEqual([]);
  });

  test("is not reported again while its breaker is open", () => {
    const { clock, reports } = reportsOf({ isClosed: false });
    for (let failures = 0; failures < 50; failures += 1) {
      reports.note("psp", failed);
      clock.pass(120);
    }
    expect(reports.gathered().failing).toEqual([]);
  });

  test.each([
    [150, 150],
    [99_999_999_999_000, 60_000],
  ])("that asks for %i ms is left alone for %i ms", (retryAfter, throttle) => {
    const { reports } = reportsOf();
    reports.note("psp", { ...failed, retryAfter, paces: true });
    expect(reports.gathered().throttles).toEqual([{ service: "psp", throttle }]);
  });

  test.each<[string, TaskEvent, number]>([
    ["asks for a moment", { ...failed, retryAfter: 99, paces: true }, 0],
    ["asks for nothing", failed, 0],
    ["asks for what is known", { ...failed, retryAfter: 1_000, paces: true }, 950],
    [
      "failed, and the instance opened its own circuit",
      { ...failed, code: "agent.circuit_open", retryAfter: 5_000 },
      0,
    ],
    ["was not called", { ...failed, attempted: false, retryAfter: 1_000 }, 0],
  ])("is not left alone if it %s", (_, event, throttledFor) => {
    const { reports } = reportsOf({ throttledFor });
    reports.note("psp", event);
    expect(reports.gathered().throttles).toEqual([]);
  });
});

describe("an attempt that may be a probe", () => {
  test.each<[string, TaskEvent, object]>([
    ["is answered", completed, { answered: true }],
    ["is refused", { ...failed, transient: false }, { answered: true }],
    ["fails", failed, { answered: false, code: "psp.down" }],
    [
      "did not call",
      { ...failed, attempted: false, code: "agent.circuit_open" },
      { answered: false },
    ],
    ["was stopped", { kind: "stopped", effect: "none", ...attempt }, { answered: false }],
  ])("is reported when it %s", (_, event, outcome) => {
    const { reports } = reportsOf({ isClosed: false });
    reports.note("psp", event);
    expect(reports.gathered().outcomes).toMatchObject([{ token: "t-1", ...outcome }]);
  });

  test("is none while the breaker is closed", () => {
    const { reports } = reportsOf();
    reports.note("psp", completed);
    expect(reports.isEmpty()).toBe(true);
  });
});

test("what is written down is reported once, and what came meanwhile is kept", () => {
  const { reports } = reportsOf({ isClosed: false });
  reports.note("psp", completed);
  const report = reports.gathered();
  reports.note("psp", { ...completed, token: "t-2" });
  reports.written(report);
  expect(reports.gathered().outcomes.map(({ token }) => token)).toEqual(["t-2"]);
});

test("a report that the store must know wakes the loop that writes it down, and an attempt without one does not", () => {
  const { reports, woken } = reportsOf({ isClosed: false });
  reports.note("psp", completed);
  expect(woken.filter((loop) => loop === "remotes")).toHaveLength(1);
  const quiet = reportsOf();
  quiet.reports.note("psp", completed);
  expect(quiet.woken).not.toContain("remotes");
});
