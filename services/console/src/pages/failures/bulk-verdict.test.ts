import { expect, test } from "@jest/globals";
import type { BulkOperation } from "../../api/operations-types.ts";
import { sharesOf, verdictOf } from "./bulk-verdict.ts";

const operation: BulkOperation = {
  id: "b",
  action: "resubmit",
  patch: null,
  step: "ship",
  filter: {},
  actor: "ada",
  reason: "fixed",
  at: "2026-11-25T10:00:00Z",
  state: "done",
  matched: 9,
  waiting: 0,
  done: 9,
  refused: 0,
  verified: { succeeded: 9, failedAgain: 0, running: 0 },
  canary: 2,
  rate: 5,
  stoppedBy: null,
  stopReason: null,
  endedAt: "2026-11-25T10:01:00Z",
};

test("an operation of which each task is verified says that all succeeded", () => {
  expect(verdictOf(operation)).toBe("All 9 tasks succeeded.");
});

test("an operation that is done does not say that all succeeded if one failed again or was refused", () => {
  const mixed = {
    ...operation,
    refused: 1,
    verified: { succeeded: 7, failedAgain: 1, running: 0 },
  };
  expect(verdictOf(mixed)).toBe("7 of 9 tasks succeeded, 1 failed again, 1 were refused.");
});

test("an operation that its canary stopped says how many were spared", () => {
  const stopped = {
    ...operation,
    state: "stopped",
    stoppedBy: "holdfast (canary)",
    waiting: 7,
    verified: { succeeded: 0, failedAgain: 2, running: 0 },
  } as const;
  expect(verdictOf(stopped)).toBe(
    "The canary stopped it: 2 failed again, so 7 were left as they are.",
  );
  expect(verdictOf({ ...stopped, stoppedBy: "bob" })).toBe(
    "bob stopped it: 7 tasks were left as they are.",
  );
});

test("what was applied counts as not verified, and each task counts once", () => {
  const running = {
    ...operation,
    state: "running",
    waiting: 3,
    refused: 1,
    verified: { succeeded: 2, failedAgain: 1, running: 2 },
  } as const;
  const shares = sharesOf(running);
  expect(shares.reduce((sum, { count }) => sum + count, 0)).toBe(9);
  expect(shares.find(({ tone }) => tone === "good")?.count).toBe(2);
});
