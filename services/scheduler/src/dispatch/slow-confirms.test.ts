import type { ClaimedStep } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { openState } from "../../test/state.ts";
import { rememberSlowConfirms } from "./slow-confirms.ts";

/** Takes confirms, and notes what is remembered; the store answers when the test says so. */
function confirming() {
  const remembered: number[] = [];
  const warned: string[] = [];
  const clock = { at: 0, now: () => clock.at, after: () => () => {} };
  let answer: (error?: Error) => void = () => {};
  let isWoken = false;
  let isRunning = false;
  /** Runs rounds as a loop does: a wake-up during one is followed by another. */
  const run = async (): Promise<void> => {
    isWoken = true;
    if (isRunning) return;
    isRunning = true;
    while (isWoken) {
      isWoken = false;
      await round();
    }
    isRunning = false;
  };
  const observed = openState({
    clock,
    wake: (loop) => void (loop === "outages" ? run() : undefined),
  });
  const round = rememberSlowConfirms({
    ...observed,
    store: {
      rememberOutage: ({ lasted }) => {
        remembered.push(lasted);
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        answer = (error) => (error === undefined ? resolve() : reject(error));
        return promise;
      },
    },
    log: { warn: (_: object, text: string) => void warned.push(text) } as never,
  });
  /** A request is confirmed so many milliseconds after it was published. */
  const took = (ms: number): void => {
    const claim = { token: `${clock.at}`, now: 0, completeBy: 60_000 } as ClaimedStep;
    observed.see({ kind: "publishing", claim, claimedAt: clock.at });
    clock.at += ms;
    observed.see({ kind: "confirmed", token: claim.token });
  };
  const settle = async (error?: Error): Promise<void> => {
    answer(error);
    await new Promise(setImmediate);
  };
  return { remembered, warned, took, settle };
}

test("a confirm in time is not remembered", () => {
  const { remembered, took } = confirming();
  took(500);
  expect(remembered).toEqual([]);
});

test("a slow confirm is remembered as an outage, and many as one", async () => {
  const { remembered, took, settle } = confirming();
  took(2_000);
  for (let ms = 600; ms < 3_000; ms += 1) took(ms);
  expect(remembered).toEqual([2_000]);
  await settle();
  expect(remembered).toEqual([2_000, 2_999]);
  await settle();
  took(700);
  expect(remembered).toEqual([2_000, 2_999, 700]);
});

test("a store that is away is no reason to end the process", async () => {
  const { remembered, warned, took, settle } = confirming();
  took(700);
  await settle(new Error("away"));
  expect(warned).toEqual(["slow confirm not remembered"]);
  took(800);
  expect(remembered).toEqual([700, 800]);
});
