import type { LaneCapacity } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { newAdmission } from "./admission.ts";
import { saveReserve, withReserve } from "./allowances.ts";

/** What each claim of so many slots of a lane reserves, one after the other. */
function batchReserve(percent: number) {
  const admission = newAdmission({ maxInFlight: 200, batchReserve: percent });
  return (capacity: { readonly lane: string; readonly slots: number }) => {
    const reserved = withReserve<LaneCapacity>(admission, capacity);
    saveReserve(admission, [reserved]);
    return reserved;
  };
}

const reservedOf = (reserve: ReturnType<typeof batchReserve>, slots: number, lane = "a") =>
  reserve({ lane, slots }).reserved;

test("a claim of many slots reserves its share of them", () => {
  expect(reservedOf(batchReserve(10), 200)).toBe(20);
});

test("claims of one slot reserve it as often as the share says", () => {
  const reserve = batchReserve(25);
  const reserved = Array.from({ length: 8 }, () => reservedOf(reserve, 1));
  expect(reserved).toEqual([0, 0, 0, 1, 0, 0, 0, 1]);
});

test("each lane saves up for itself", () => {
  const reserve = batchReserve(50);
  expect(["a", "b", "a", "b"].map((lane) => reservedOf(reserve, 1, lane))).toEqual([0, 0, 1, 1]);
});

test("without a reserve a claim is as it was", () => {
  expect(batchReserve(0)({ lane: "a", slots: 200 })).toEqual({ lane: "a", slots: 200 });
});
