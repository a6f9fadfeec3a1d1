import { expect, test } from "@jest/globals";
import { sharesOf } from "./shares.ts";

test("a single process gets all orders of a measurement", () => {
  expect(sharesOf({ kind: "lone", orders: 7 }, 1)).toEqual([{ kind: "lone", orders: 7 }]);
});

test("processes divide the orders and the in-flight limit without losing any", () => {
  expect(sharesOf({ kind: "inFlight", orders: 7, width: 5 }, 2)).toEqual([
    { kind: "inFlight", orders: 4, width: 3 },
    { kind: "inFlight", orders: 3, width: 2 },
  ]);
});
