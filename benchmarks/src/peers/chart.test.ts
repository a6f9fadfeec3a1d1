import { describe, expect, test } from "@jest/globals";
import { chart } from "./chart.ts";
import { sample } from "./testing.ts";

const numbersOf = (svg: string, pattern: RegExp): readonly number[] =>
  [...svg.matchAll(pattern)].map(([, number]) => Number(number));

describe("the chart", () => {
  const svg = chart(sample);

  test("has a bar for each contender in each panel, as long as the median", () => {
    const lengths = numbersOf(svg, /<rect x="170" y="[\d.]+" width="([\d.]+)"/g);
    // The largest value of a panel, in whatever round, fills its 430 pixels.
    expect(lengths).toEqual([215, 107.5, 215, 107.5, 21.5, 43]);
  });

  test("has a line from the smallest to the largest value", () => {
    expect(numbersOf(svg, /<line x1="([\d.]+)"/g).slice(0, 2)).toEqual([191.5, 180.8]);
    expect(numbersOf(svg, / x2="([\d.]+)"/g).slice(0, 2)).toEqual([600, 385]);
  });

  test("says which is better, more or less", () => {
    expect(svg).toContain("full backlog: orders/s, more is better");
    expect(svg).toContain("lone order, p50: ms, less is better");
  });

  test("shows titles as they are, whatever stands in them", () => {
    const [first] = sample.contenders;
    const contenders = first === undefined ? [] : [{ ...first, title: "a < b & c" }];
    expect(chart({ contenders })).toContain(">a &lt; b &amp; c</text>");
  });
});
