import { describe, expect, test } from "@jest/globals";
import { matches, noFilter, readFilter, searchFilter, withinMs, writeFilter } from "./filter.ts";

const read = (text: string) => readFilter(new URLSearchParams(text));

describe("a filter in the URL", () => {
  test("is the same filter after it was written and read", () => {
    const filter = {
      ...noFilter,
      text: "<img src=x onerror=alert(1)> & ünïcode",
      states: ["open", "halted"] as const,
      workflow: "fulfil-order.v1",
      awaiting: "cool-off",
      within: "24h",
      labels: { region: "eu", __proto__x: "a=b&c" },
    };
    expect(read(writeFilter(filter))).toEqual(filter);
  });

  test("is empty without conditions", () => {
    expect(writeFilter(noFilter)).toBe("");
    expect(read("")).toEqual(noFilter);
  });

  test("leaves out states and durations that do not exist", () => {
    expect(read("state=halted,gone,__proto__&within=yesterday").states).toEqual(["halted"]);
    expect(read("within=yesterday").within).toBe("");
  });

  test("cuts a value that is too long", () => {
    expect(read(`text=${"x".repeat(10_000)}`).text).toHaveLength(200);
  });

  test("has one URL whatever the order of its states", () => {
    expect(writeFilter(read("state=halted,open"))).toBe(writeFilter(read("state=open,halted")));
  });
});

test.each([
  ["15m", 900_000],
  ["24h", 86_400_000],
  ["7d", 604_800_000],
  ["0h", null],
  ["99999d", null],
  ["1w", null],
  ["", null],
])("%s is %s milliseconds", (text, ms) => {
  expect(withinMs(text)).toBe(ms);
});

test("a search asks for all states at once, and for tasks since an instant", () => {
  const now = Date.parse("2026-11-25T12:00:00Z");
  const asked = read("state=open,halted&key=a&awaiting=rest&within=1h&label.region=eu");
  expect(searchFilter(asked, now)).toEqual({
    key: "a",
    awaiting: "rest",
    state: { $in: ["open", "halted"] },
    "label.region": "eu",
    createdAt: { $gte: "2026-11-25T11:00:00.000Z" },
  });
});

describe("a task that is new", () => {
  const task = { state: "halted", workflow: "trip.v2" };
  test.each([
    ["", true],
    ["state=open", true],
    ["state=processed", false],
    ["workflow=trip", true],
    ["workflow=trip.v2&state=halted", true],
    ["workflow=tri", false],
    ["text=x", null],
    ["label.a=b", null],
  ])("belongs to the list of %p: %s", (query, expected) => {
    expect(matches(read(query), task)).toBe(expected);
  });
});
