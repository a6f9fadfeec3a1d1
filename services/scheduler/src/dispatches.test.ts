import { randomUUID } from "node:crypto";
import type { ClaimedStep } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { dispatches } from "./dispatches.ts";

const claim = (): ClaimedStep => ({
  taskId: randomUUID(),
  name: "charge",
  lane: "payments",
  workflow: "pay.v1",
  attempt: 1,
  token: randomUUID(),
  startBy: 30_000,
  completeBy: 35_000,
  now: 0,
  keyGeneration: 0,
  taskInput: null,
});

/** What is on its way, with requests that took so many milliseconds from their claim to their confirm. */
function after(...times: readonly number[]) {
  const now = 10_000;
  const open = dispatches({ now: () => now, after: () => () => {} });
  for (const time of times) {
    const one = claim();
    open.publishing(one, now - time);
    open.confirmed(one);
  }
  return open;
}

test.each([
  ["nothing is known yet", [], 600],
  ["all were quick", [3, 20, 8], 600],
  ["one was slow, for the broker was busy or the store is far away", [3, 400, 8], 1_600],
  ["one hardly came back", [3, 5_000], 3_000],
])("a request counts as lost well after the slowest: %s", (_, times, relayAfter) => {
  expect(after(...times).relayAfter()).toBe(relayAfter);
});

test("what was slow long ago no longer counts", () => {
  expect(after(5_000, ...Array.from({ length: 200 }, () => 5)).relayAfter()).toBe(600);
});
