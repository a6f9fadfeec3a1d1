import { PermanentFault, SetupFault, TransientFault } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { type FailedPart, remedyFor } from "./remedy-for-failure.ts";

const away = new TransientFault("store.unavailable", "no");
const notGranted = new SetupFault("store.failed", "no");
const refused = new PermanentFault("store.refused", "no");
const bug = new TypeError("no");

const part = (changes: Partial<FailedPart>): FailedPart => ({
  size: 8,
  failures: 1,
  othersSucceeded: false,
  isCrowded: false,
  ...changes,
});

test.each([
  ["a batch that the store refuses is split", {}, refused, "split"],
  ["a batch that meets a bug is split", {}, bug, "split"],
  ["a delivery that the store refuses is buried", { size: 1 }, refused, "deadLetter"],
  ["a batch is taken apart at once where little room is left", { isCrowded: true }, bug, "single"],
  ["a delivery that meets a bug is retried", { size: 1, failures: 2 }, bug, "retry"],
  ["unless others succeed", { size: 1, othersSucceeded: true }, bug, "deadLetter"],
  ["or little room is left for them", { size: 1, isCrowded: true }, bug, "deadLetter"],
  [
    "a delivery that meets a bug three times is buried",
    { size: 1, failures: 3 },
    bug,
    "deadLetter",
  ],
  ["a batch is retried while the store is away", {}, away, "retry"],
  ["a batch that fails three times in passing is split", { failures: 3 }, away, "split"],
  ["and only halved while everything fails", { failures: 3, isCrowded: true }, away, "split"],
  [
    "it is taken apart when others succeed and little room is left for them",
    { failures: 3, othersSucceeded: true, isCrowded: true },
    away,
    "single",
  ],
  ["a delivery is never buried while everything fails", { size: 1, failures: 999 }, away, "retry"],
  ["nor when a right is missing", { size: 1, failures: 999 }, notGranted, "retry"],
  [
    "a delivery that fails five times in passing is buried when others succeed",
    { size: 1, failures: 5, othersSucceeded: true },
    away,
    "deadLetter",
  ],
  ["before that it is retried", { size: 1, failures: 4, othersSucceeded: true }, away, "retry"],
])("%s", (_, changes, error, remedy) => {
  expect(remedyFor(part(changes), error)).toBe(remedy);
});
