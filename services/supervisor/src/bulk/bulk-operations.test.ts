import type { Logger } from "@holdfast/runtime";
import type { AppliedItems, BulkWork, VerifiedItems } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { workBulkOperations } from "./bulk-operations.ts";

const operation = (changes: Partial<BulkWork> = {}): BulkWork => ({
  id: "one",
  action: "resubmit",
  state: "running",
  canary: 0,
  waiting: 100,
  applied: 0,
  refused: 0,
  succeeded: 0,
  failedAgain: 0,
  rate: 10,
  pacedFrom: 0,
  now: 1_000,
  ...changes,
});

interface World {
  readonly work?: readonly BulkWork[];
  readonly applied?: Partial<AppliedItems>;
  /** What each round applies. */
  readonly rounds?: readonly Partial<AppliedItems>[];
  readonly looks?: readonly VerifiedItems[];
}

/** One round after the other; says what was asked of the store, and what was hinted at. */
function working({ work = [], applied = {}, rounds = [], looks = [] }: World) {
  const asked: string[] = [];
  let looked = 0;
  const round = workBulkOperations({
    store: {
      findBulkWork: async () => work,
      applyBulkItems: async ({ id, after }) => {
        asked.push(after === 0 ? `apply ${id}` : `apply ${id} after ${after}`);
        const none = { applied: 0, refused: 0, obsoleteAttempts: [], next: null } as const;
        const done = rounds[asked.filter((what) => what.startsWith("apply")).length - 1];
        return { ...none, state: "running", ...applied, ...done };
      },
      verifyBulkItems: async ({ id, after }) => {
        asked.push(`verify ${id} after ${after}`);
        looked += 1;
        return looks[looked - 1] ?? { next: null, verified: 0, state: null };
      },
    },
    hint: () => void asked.push("hint"),
    cancel: (attempts) => void (attempts.length > 0 && asked.push("cancel")),
    log: {
      info: () => {},
      warn: (_: unknown, message?: string) => void asked.push(message ?? ""),
    } as Partial<Logger> as Logger,
    failpoint: () => {},
    rest: 2_000,
  });
  return { asked, round };
}

test("without an operation the Supervisor rests, and asks for nothing else", async () => {
  const { asked, round } = working({});
  expect([await round(), asked]).toEqual([2_000, []]);
});

test("items that were applied wake the Schedulers, and stop attempts that are obsolete, and the next round follows", async () => {
  const obsoleteAttempts = [{ taskId: "t", step: "a", attempt: 1, token: "x" }];
  const { asked, round } = working({
    work: [operation()],
    applied: { applied: 3, obsoleteAttempts },
  });
  expect([await round(), asked]).toEqual([20, ["apply one", "cancel", "hint"]]);
});

test("an operation whose rate allows nothing yet is left alone until it does", async () => {
  const { asked, round } = working({ work: [operation({ pacedFrom: 1_000, rate: 2 })] });
  expect([await round(), asked]).toEqual([500, []]);
});

test("an operation that awaits its canary is only verified", async () => {
  const awaiting = operation({ state: "canary", canary: 1, applied: 1 });
  const { asked, round } = working({ work: [awaiting] });
  expect([await round(), asked]).toEqual([500, ["verify one after 0"]]);
});

test("each look at what was applied continues after the last, and restarts at the end", async () => {
  const { asked, round } = working({
    work: [operation({ state: "verifying", waiting: 0, applied: 700 })],
    looks: [
      { next: 500, verified: 0, state: null },
      { next: null, verified: 2, state: "verifying" },
    ],
  });
  expect([await round(), await round(), await round()]).toEqual([20, 500, 500]);
  expect(asked).toEqual(["verify one after 0", "verify one after 500", "verify one after 0"]);
});

test("an operation that its canary stops is logged as a warning", async () => {
  const { asked, round } = working({
    work: [operation({ state: "canary", canary: 1, applied: 1 })],
    looks: [{ next: null, verified: 1, state: "stopped" }],
  });
  await round();
  expect(asked).toEqual(["verify one after 0", "bulk operation stopped by its canary"]);
});

test("when all tasks are locked, the Supervisor waits a moment before it tries them again", async () => {
  const { round } = working({ work: [operation()] });
  expect(await round()).toBe(500);
});

test("tasks that cannot be moved now hide none of those after them, and are tried again after all others", async () => {
  const { asked, round } = working({
    work: [operation()],
    rounds: [{ next: 50 }, { applied: 5, next: 55 }, { next: null }, { next: 50 }],
  });
  expect([await round(), await round(), await round(), await round()]).toEqual([20, 20, 500, 20]);
  expect(asked).toEqual([
    "apply one",
    "apply one after 50",
    "hint",
    "apply one after 55",
    "apply one",
  ]);
});
