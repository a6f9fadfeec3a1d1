import { expect, test } from "@jest/globals";
import type { BulkAction } from "./bulk-request.ts";
import { type BulkFacts, bulkVerdictOf } from "./bulk-verdict.ts";

const facts = (changes: Partial<BulkFacts> = {}): BulkFacts => ({
  goal: "do",
  processState: "processing",
  faultCode: null,
  step: { processState: "pending", faultCode: null },
  ...changes,
});
const step = (
  processState: NonNullable<BulkFacts["step"]>["processState"],
  faultCode: string | null = null,
) => ({
  step: { processState, faultCode },
});
const undoing = { goal: "undo", processState: "undoing", step: null } as const;

test.each<[BulkAction, string, BulkFacts | null, string, string | null]>([
  ["resubmit", "its step waits for its attempt", facts(), "applied", null],
  ["resubmit", "its step runs", facts(step("processing")), "applied", null],
  [
    "resubmit",
    "its step is processed, the task not yet",
    facts(step("processed")),
    "succeeded",
    null,
  ],
  [
    "resubmit",
    "its task is processed",
    facts({ processState: "processed", ...step("processed") }),
    "succeeded",
    null,
  ],
  [
    "resubmit",
    "its step failed for good again",
    facts({ processState: "halted", ...step("error", "bank.away") }),
    "failedAgain",
    "bank.away",
  ],
  [
    "resubmit",
    "its step failed again and the task is undone",
    facts({ ...undoing, faultCode: "bank.away", ...step("error", "bank.away") }),
    "failedAgain",
    "bank.away",
  ],
  [
    "resubmit",
    "another operator undoes the task",
    facts({ ...undoing, faultCode: "operator.cancel", ...step("cancelled") }),
    "failedAgain",
    "operator.cancel",
  ],
  [
    "resubmit",
    "the task is undone to its end",
    facts({ goal: "undo", processState: "undone", faultCode: "operator.cancel", step: null }),
    "failedAgain",
    "operator.cancel",
  ],
  ["resubmit", "its task is gone", null, "failedAgain", "bulk.task_gone"],
  ["resolve", "its step is resolved", facts(step("processed")), "succeeded", null],
  ["retryNow", "its step is delayed again", facts(step("pending")), "applied", null],
  ["retryNow", "its step is processed", facts(step("processed")), "succeeded", null],
  ["cancel", "it is being undone", facts(undoing), "applied", null],
  [
    "cancel",
    "all of it is undone",
    facts({ ...undoing, processState: "undone" }),
    "succeeded",
    null,
  ],
  [
    "cancel",
    "an undo failed for good",
    facts({ ...undoing, processState: "halted", faultCode: "bank.away" }),
    "failedAgain",
    "bank.away",
  ],
  ["pause", "it was paused", facts(), "succeeded", null],
  ["resume", "it was resumed", facts(), "succeeded", null],
])("%s: when %s, the item is judged by that", (action, _, found, outcome, code) => {
  expect(bulkVerdictOf({ action, step: "a" }, found)).toEqual({ outcome, code });
});
