import { describe, expect, test } from "@jest/globals";
import { hopsOf, type OrderTrace, type StepTrace } from "./hops.ts";

const step = (claimed: number, slowness: number): StepTrace => ({
  passed: {
    claimed,
    "request published": claimed + 2,
    "request received": claimed + 2 + slowness,
    "reply published": claimed + 3 + slowness,
    "reply received": claimed + 4 + slowness,
    recorded: claimed + 6 + slowness,
  },
  requestConfirmed: claimed + 5,
  replyConfirmed: claimed + 10 + slowness,
});

const order = (slowness: number): OrderTrace => {
  const first = step(4, slowness);
  const second = step(first.passed.recorded + 0.5, slowness);
  return {
    submitted: 0,
    accepted: 3,
    steps: [first, second],
    seen: second.passed.recorded + 2,
  };
};

describe("the hops of orders", () => {
  const hops = hopsOf([order(1), order(50), order(3)]);
  const mediansOf = (name: string) => hops.find((hop) => hop.name === name)?.medians;

  test("are the medians over the orders, for each step", () => {
    expect(mediansOf("request published → request received")).toEqual([3, 3]);
    expect(mediansOf("reply received → recorded")).toEqual([2, 2]);
  });

  test("count a step as due when its order is accepted, or when the step before is recorded", () => {
    expect(mediansOf("due → claimed")).toEqual([1, 0.5]);
  });

  test("begin with the submission and end when a client sees the result", () => {
    expect(mediansOf("submitted → committed")).toEqual([3]);
    expect(mediansOf("recorded → seen")).toEqual([2]);
  });

  test("list publisher confirms separately", () => {
    expect(mediansOf("request published → confirmed")).toEqual([3, 3]);
    expect(mediansOf("reply published → confirmed")).toEqual([7, 7]);
  });

  test("add up to the duration of the order, without the confirms", () => {
    const [only] = [order(3)];
    const way = hopsOf([only]).slice(0, -2);
    const sum = way.flatMap(({ medians }) => medians).reduce((all, ms) => all + ms, 0);
    expect(sum).toBeCloseTo(only.seen - only.submitted);
  });
});
