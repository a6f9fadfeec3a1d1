import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { byteBudget, type Reservation } from "./byte-budget.ts";

test("what has no room waits in turn, and a small one overtakes no large one", async () => {
  const budget = byteBudget(10);
  const first = await budget.reserve(8);
  const order: string[] = [];
  const large = budget.reserve(9).then((one) => (order.push("large"), one));
  const small = budget.reserve(1).then((one) => (order.push("small"), one));
  expect(budget.tryReserve(1)).toBeNull();
  expect(budget.waiting).toBe(2);
  first[Symbol.dispose]();
  (await large)[Symbol.dispose]();
  (await small)[Symbol.dispose]();
  expect(order).toEqual(["large", "small"]);
  expect([budget.reserved, budget.waiting]).toEqual([0, 0]);
});

test("what is larger than the whole has it to itself", async () => {
  const budget = byteBudget(10);
  const small = await budget.reserve(1);
  const huge = budget.reserve(100);
  expect(budget.waiting).toBe(1);
  small[Symbol.dispose]();
  expect(budget.reserved).toBe(100);
  expect(budget.tryReserve(0)).toBeNull();
  (await huge)[Symbol.dispose]();
  expect(budget.reserved).toBe(0);
});

test("who gives up waiting has nothing, and keeps no other waiting", async () => {
  const budget = byteBudget(10);
  const first = await budget.reserve(8);
  const [timeout, none] = [new AbortController(), AbortSignal.abort()];
  const large = budget.reserve(9, timeout.signal);
  const small = budget.reserve(2, new AbortController().signal);
  timeout.abort();
  expect(await large).toBeNull();
  expect(await small).not.toBeNull();
  expect(await budget.reserve(1, none)).toBeNull();
  expect([budget.reserved, budget.waiting]).toEqual([10, 0]);
  first[Symbol.dispose]();
});

test("what a reservation gives back, others get; a second disposal gives nothing", async () => {
  const budget = byteBudget(10);
  const first = await budget.reserve(10);
  const second = budget.reserve(6);
  first.shrinkTo(4);
  expect(budget.reserved).toBe(10);
  first.shrinkTo(9);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  expect(budget.reserved).toBe(6);
  (await second)[Symbol.dispose]();
});

test("no order of reservations exceeds the budget, and all of them are granted in the end", async () => {
  const act = fc.oneof(
    fc.record({ take: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ give: fc.nat(), keep: fc.nat({ max: 20 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 60 }), async (acts) => {
      const budget = byteBudget(20);
      const held: Reservation[] = [];
      let asked = 0;
      const settle = () => new Promise((resolve) => setImmediate(resolve));
      for (const one of acts) {
        if ("take" in one) {
          asked += 1;
          void budget.reserve(one.take).then((reservation) => held.push(reservation));
        } else if (held.length > 0) {
          const [given] = held.splice(one.give % held.length, 1);
          if (one.keep === 0) given?.[Symbol.dispose]();
          else {
            given?.shrinkTo(one.keep);
            held.push(given as Reservation);
          }
        }
        await settle();
        expect(budget.reserved <= 20 || held.length === 1).toBe(true);
      }
      for (let granted = 0; granted < asked; granted += 1) {
        await settle();
        for (const one of held.splice(0)) one[Symbol.dispose]();
      }
      expect([budget.reserved, budget.waiting]).toEqual([0, 0]);
    }),
  );
});
