import { randomUUID } from "node:crypto";
import type { ClaimedStep } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { testClock } from "../../test/clock.ts";
import { openState, replied } from "../../test/state.ts";
import {
  heldRequests,
  resendAfter as resendAfterOf,
  unconfirmedFor,
  unconfirmedRequests,
} from "./requests.ts";
import type { LoopName } from "./scheduler-state.ts";

const claim = (changes: Partial<ClaimedStep> = {}): ClaimedStep => ({
  taskId: randomUUID(),
  name: "charge",
  lane: "payments",
  agent: "payments",
  workflow: "pay.v1",
  attempt: 1,
  token: randomUUID(),
  startBy: 30_000,
  completeBy: 35_000,
  now: 0,
  keyGeneration: 0,
  priority: "normal",
  taskInput: null,
  ...changes,
});

/** Dispatches by the clock of a Scheduler that does nothing else. */
function opened(options: { readonly lateConfirms?: boolean } = {}) {
  const clock = testClock();
  const { now, pass } = clock;
  const marked: { readonly at: number; readonly claim: ClaimedStep }[] = [];
  /**
   * How long the broker had not confirmed a request, or took to confirm one, as the outages' loop
   * sees it.
   */
  const took: number[] = [];
  const wake = (loop: LoopName): void => {
    if (loop === "confirm") {
      const due = unconfirmedRequests(requests, now());
      marked.push(...due.map((one) => ({ at: now(), claim: one })));
      see({ kind: "confirmsRecorded", claims: due });
    }
    if (loop !== "outages") return;
    const waiting = unconfirmedFor(requests, now());
    if (waiting !== null) took.push(waiting);
    else if (requests.slowConfirm > 0) took.push(requests.slowConfirm);
    see({ kind: "unconfirmed" });
    see({ kind: "remembering" });
  };
  const { state, see } = openState({ clock, wake, ...options });
  const { requests } = state;
  const open = {
    publishing: (one: ClaimedStep, claimedAt: number) =>
      see({ kind: "publishing", claim: one, claimedAt }),
    confirmed: ({ token }: ClaimedStep) => see({ kind: "confirmed", token }),
    answered: ({ token, name: step, attempt }: ClaimedStep) =>
      see(replied("payments", { kind: "completed", step, attempt, token }, { isApplied: false })),
    forget: () => see({ kind: "disconnected" }),
    held: () => heldRequests(requests),
    resendAfter: () => resendAfterOf(requests),
  };
  const send = (confirmAfter = 0, changes: Partial<ClaimedStep> = {}): ClaimedStep => {
    const one = claim(changes);
    open.publishing(one, now());
    pass(confirmAfter);
    open.confirmed(one);
    return one;
  };
  return { open, marked, took, pass, send, now };
}

test("a request confirmed on a connection that was lost is not recorded as confirmed, so that the resend publishes it again", () => {
  const { open, marked, pass, send } = opened();
  send();
  open.forget();
  expect(open.held()).toEqual([]);
  const kept = send();
  pass(10_000);
  expect(marked.map(({ claim: one }) => one)).toEqual([kept]);
});

test("a broker that does not confirm a request is reported while that lasts, and not only afterwards", () => {
  const { open, took, pass } = opened();
  const one = claim();
  open.publishing(one, 0);
  pass(1_600);
  expect(took).toEqual([300, 600, 900, 1_200, 1_500]);
  open.confirmed(one);
  expect(took.at(-1)).toBe(1_600);
  pass(10_000);
  expect(took).toHaveLength(6);
});

/**
 * What is on its way, with requests that took so many milliseconds from their claim to their
 * confirm.
 */
function confirmedAfter(...times: readonly number[]) {
  const { open, send } = opened();
  for (const time of times) open.answered(send(time));
  return open;
}

/**
 * Dispatches that were answered after so many milliseconds: as many as it takes for that to be
 * usual.
 */
function answeredAfter(ms: number) {
  const all = opened();
  for (let n = 0; n < 9; n += 1) {
    const one = all.send();
    all.pass(ms);
    all.open.answered(one);
  }
  all.marked.length = 0;
  return all;
}

test.each([
  ["nothing is known yet", [], 600],
  ["all were quick", [3, 20, 8], 600],
  ["one was slow, for the broker was busy or the store is far away", [3, 400, 8], 1_600],
  ["one hardly came back", [3, 5_000], 3_000],
])("a request counts as lost well after the slowest: %s", (_, times, resendAfter) => {
  expect(confirmedAfter(...times).resendAfter()).toBe(resendAfter);
});

test("slow replies of long ago no longer count", () => {
  expect(confirmedAfter(5_000, ...Array.from({ length: 200 }, () => 5)).resendAfter()).toBe(600);
});

test.each([
  ["at once", 5, 600],
  ["after a while, for much is in flight", 400, 1_600],
  ["just in time", 1_400, 3_000],
  ["too late for any mark", 2_000, 600],
])("with replies that come %s, the limit for a lost request follows", (_, ms, resendAfter) => {
  expect(answeredAfter(ms).open.resendAfter()).toBe(resendAfter);
});

test.each([
  ["soon", 5],
  ["after a while", 400],
  ["just in time", 1_400],
])("with replies that come %s, confirms are recorded after their replies", (_, ms) => {
  const { open, marked, pass, send } = answeredAfter(ms);
  for (let n = 0; n < 20; n += 1) {
    const one = send();
    pass(ms);
    open.answered(one);
  }
  pass(10_000);
  expect(marked).toEqual([]);
});

test.each([5, 400, 1_400, 2_000])(
  "with replies after %i ms, the confirm of an unanswered request is recorded well before it counts as lost",
  (ms) => {
    const { open, marked, pass, send, now } = answeredAfter(ms);
    const claimedAt = now();
    const one = send(10);
    pass(10_000);
    expect(marked.map(({ claim: { taskId } }) => taskId)).toEqual([one.taskId]);
    expect((marked[0]?.at ?? Number.NaN) - claimedAt).toBeLessThan(0.75 * open.resendAfter());
  },
);

test("a request with little time left is marked within it, however long replies usually take", () => {
  const { marked, pass, send, now } = answeredAfter(1_400);
  const claimedAt = now();
  const patient = send(10);
  const hurried = send(10, { now: 70_000, startBy: 70_500, completeBy: 71_000 });
  pass(10_000);
  expect(marked.map(({ claim: { taskId } }) => taskId)).toEqual([hurried.taskId, patient.taskId]);
  expect((marked[0]?.at ?? Number.NaN) - claimedAt).toBeLessThan(1_000);
});

test("without late marks a confirmed request is marked at once, before its reply", () => {
  const { marked, pass, send, now } = opened({ lateConfirms: false });
  const claimedAt = now();
  const one = send(10);
  pass(150);
  expect(marked.map(({ claim: { taskId } }) => taskId)).toEqual([one.taskId]);
  expect((marked[0]?.at ?? Number.NaN) - claimedAt).toBeLessThan(150);
});
