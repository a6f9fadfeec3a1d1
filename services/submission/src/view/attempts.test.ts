import type { StepMove, StepRecord } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { attemptsOf } from "./attempts.ts";

const noon = Date.UTC(2026, 0, 1, 12);
const at = (seconds: number) => new Date(noon + seconds * 1_000);
const text = (seconds: number) => at(seconds).toISOString();

const book: StepRecord = {
  name: "book",
  kind: "call",
  agent: "hotels",
  processState: "processing",
  attempt: 2,
  failureCount: 1,
  requeueCount: 0,
  lockedBy: "scheduler-1",
  completeBy: text(70),
  startedAt: text(41),
  heartbeatAt: text(45),
  progress: { percent: 30 },
  notBefore: null,
  awaiting: null,
  faultCode: null,
  faultDetail: null,
  output: null,
};
const limits = [{ name: "book", startWithin: 5_000, completeWithin: 10_000, input: null }];
const move = (seconds: number, action: string, change: Partial<StepMove> = {}): StepMove => ({
  step: "book",
  action,
  fromState: "processing",
  toState: "pending",
  attempt: 1,
  actor: "scheduler-1",
  reason: null,
  at: at(seconds),
  ...change,
});
const claim = (seconds: number, attempt: number): StepMove =>
  move(seconds, "claim", { fromState: "pending", toState: "processing", attempt });
/** The attempts of moves that are read as the store has them: newest first. */
const of = (moves: readonly StepMove[], step: StepRecord = book) =>
  attemptsOf({ moves: moves.toReversed(), steps: [step], limits });

test("an attempt that runs has the times of its step, and an earlier one the deadline that it had", () => {
  const { attempts, waits } = of([
    move(0, "plan", { fromState: "waiting", attempt: null }),
    claim(2, 1),
    move(9, "retry", { reason: "hotels.busy" }),
    claim(40, 2),
  ]);
  expect(attempts).toMatchObject([
    {
      attempt: 2,
      outcome: "running",
      startedAt: text(41),
      completeBy: text(70),
      heartbeatAt: text(45),
      progress: { percent: 30 },
      endedAt: null,
      faultCode: null,
    },
    {
      attempt: 1,
      outcome: "failed",
      claimedAt: text(2),
      completeBy: text(17),
      endedAt: text(9),
      faultCode: "hotels.busy",
      startedAt: null,
      progress: null,
    },
  ]);
  expect(waits).toEqual([
    { step: "book", from: text(9), until: text(40), reason: "retry" },
    { step: "book", from: text(0), until: text(2), reason: "plan" },
  ]);
});

test.each([
  ["complete", "processed", null, null],
  ["retry", "failed", "hotels.busy", "hotels.busy"],
  ["coolDown", "failed", "hotels.busy", "hotels.busy"],
  ["fail", "failed", "hotels.gone", "hotels.gone"],
  ["retry", "expired", "step.expired", "step.expired"],
  ["fail", "expired", "step.expired", "step.expired"],
  ["requeue", "requeued", "step.not_taken", "step.not_taken"],
  ["cancel", "cancelled", "operator.cancel", "operator.cancel"],
])("an attempt that ended with %s counts as %s", (action, outcome, reason, faultCode) => {
  const { attempts } = of([claim(0, 1), move(3, action, { reason })], {
    ...book,
    processState: "pending",
    attempt: 1,
  });
  expect(attempts).toMatchObject([{ outcome, faultCode, endedAt: text(3) }]);
});

test("a step that waits for its delay says until when, and an undo says what it undoes", () => {
  const undo: StepRecord = {
    ...book,
    name: "book:undo",
    kind: "undo",
    processState: "pending",
    notBefore: text(90),
  };
  const moves = [claim(0, 2), move(3, "retry", { reason: "hotels.busy" })].map((one) => ({
    ...one,
    step: "book:undo",
  }));
  const { attempts, waits } = of(moves, undo);
  expect(waits).toEqual([{ step: "book:undo", from: text(3), until: text(90), reason: "retry" }]);
  expect(attempts).toMatchObject([{ kind: "undo", undoes: "book", completeBy: null }]);
});

test("what a cut-off history and an unknown step leave open does no harm", () => {
  expect(of([move(3, "retry", { reason: "x.y" })]).attempts).toEqual([]);
  expect(of([{ ...claim(0, 1), step: "gone" }])).toEqual({ attempts: [], waits: [] });
});
