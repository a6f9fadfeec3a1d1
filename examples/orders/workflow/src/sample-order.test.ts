import { describe, expect, test } from "@jest/globals";
import { Order } from "./order.ts";
import { sampleKinds, sampleOrder } from "./sample-order.ts";

describe.each(sampleKinds)("a sample order that is %s", (kind) => {
  test("is a valid order, whatever the seed", () => {
    for (let seed = 0; seed < 50; seed++) {
      const order = sampleOrder({ kind, seed });
      expect(Order.parse(order)).toEqual(order);
    }
  });

  test("is the same for the same seed, and different for another seed", () => {
    expect(sampleOrder({ kind, seed: 7 })).toEqual(sampleOrder({ kind, seed: 7 }));
    expect(sampleOrder({ kind, seed: 7 })).not.toEqual(sampleOrder({ kind, seed: 8 }));
  });
});
