import { expect, test } from "@jest/globals";
import { readOptions } from "./options.ts";
import { alone, roundsOf } from "./profile.ts";

const perSecond = ({ orders, duration }: typeof alone) => (orders * 1_000) / duration;

test.each([
  ["agent-killed", 3_000],
  ["broker-killed", 18_000],
])(
  "a thousand recoveries from %s have a fault each %d ms, and as many orders a second as ten",
  (name, gap) => {
    const { profile, classes } = readOptions(["--class", name, "--recoveries", "1000"]);
    expect(classes.map((fault) => fault.name)).toEqual([name]);
    expect(profile).toMatchObject({ faults: 1_000, duration: 1_000 * gap, rest: alone.rest });
    expect(perSecond(profile)).toBe(perSecond(alone));
    const rounds = roundsOf(profile).reduce((sum, { faults }) => sum + faults, 0);
    expect(Math.abs(rounds - 1_000)).toBeLessThan(10);
  },
);

test("recoveries of no class in particular are refused", () => {
  expect(() => readOptions(["--recoveries", "10"])).toThrow(/--class/);
});

test("one class without a number of recoveries has ten faults", () => {
  expect(readOptions(["--class", "agent-killed"]).profile).toEqual(alone);
});
