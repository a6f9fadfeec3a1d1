import { testScope } from "@holdfast/test-servers";
import { describe, expect, test } from "@jest/globals";
import { compareCalendars } from "../../test/compare-calendars.ts";
import { randomCrons } from "../../test/random-crons.ts";
import { calendarOf, faultOfTimes, nextInstants } from "./calendar.ts";

const at = (text: string): number => Date.parse(text);
const next = (cron: string, zone: string, after: string, count = 3): readonly string[] =>
  nextInstants({ cron, zone }, at(after), count).map((instant) => new Date(instant).toISOString());

/** Zones whose clocks change in ways of their own, and some whose do not. */
const zones = [
  "Africa/Casablanca",
  "Africa/El_Aaiun",
  "America/New_York",
  "America/Nuuk",
  "America/Sao_Paulo",
  "Antarctica/Troll",
  "Asia/Kathmandu",
  "Asia/Tehran",
  "Australia/Lord_Howe",
  "Australia/Sydney",
  "Europe/Budapest",
  "Europe/London",
  "Pacific/Apia",
  "UTC",
];

const decade = { from: Date.UTC(2019, 0, 1), to: Date.UTC(2029, 0, 1) };

/** Expressions at the hours of which clocks are changed, of each kind. */
const nightly = [
  "30 2 * * *",
  "0 0 * * *",
  "30 23 * * *",
  "0,30 0-3 * * *",
  "15 1,2,3 * * SUN",
  "*/15 * * * *",
  "*/20 1-2 * * *",
  "0 */2 * * *",
];

/** The drawn expressions of a run: a few, some that another day has not, or all. */
function cronsOfScope(): readonly string[] {
  const all = randomCrons(1, 192);
  const { kind, tenth } = testScope();
  if (kind === "all") return [...nightly, ...all];
  return [...nightly, ...all.filter((_, index) => index % 19 === tenth)].slice(
    0,
    kind === "usual" ? 11 : 20,
  );
}

describe("the instants of an expression are those of a walk through all minutes", () => {
  test("over ten years in zones of all kinds", () => {
    const crons = cronsOfScope();
    const { compared, instants, differences } = compareCalendars(calendarOf, zones, crons, decade);
    expect(differences).toEqual([]);
    expect(compared).toBe(zones.length * crons.length);
    expect(instants).toBeGreaterThan(10_000);
  }, 1_200_000);

  test.each([
    ["Pacific/Apia, which left out a day", "Pacific/Apia", 2011],
    ["America/Sao_Paulo, whose clocks were changed at midnight", "America/Sao_Paulo", 2018],
  ])("in %s", (_, zone, year) => {
    const span = { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 6, 1) };
    const crons = [...nightly, "0 12 30 12 *", "0 0 31 DEC *", "* * * * *"];
    expect(compareCalendars(calendarOf, [zone], crons, span).differences).toEqual([]);
  });

  test("and not those of calendars that are wrong", () => {
    type Make = typeof calendarOf;
    const inDoubledHour: Make = ({ cron, zone }) => {
      const right = calendarOf({ cron, zone });
      const passing = calendarOf({ cron: cron.replace(/^30 /, "30-59/30 "), zone });
      return { ...right, after: (instant) => passing.after(instant) };
    };
    const fromNow: Make = (times) => {
      const right = calendarOf(times);
      return { ...right, after: (instant) => right.after(instant + 90_000) };
    };
    const late: Make = (times) => {
      const right = calendarOf(times);
      return { ...right, upTo: (instant) => right.upTo(instant - 60_000) };
    };
    for (const mutant of [inDoubledHour, fromNow, late]) {
      const crons = ["30 2 * * *", "*/10 * * * *"];
      const { differences } = compareCalendars(mutant, ["Europe/Budapest"], crons, decade);
      expect(differences).not.toEqual([]);
    }
  });
});

describe("a time that is said as such", () => {
  test("comes at the first instant after it, if it does not exist", () => {
    expect(next("30 2 * * *", "Europe/Budapest", "2026-03-28T12:00:00Z", 2)).toEqual([
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T00:30:00.000Z",
    ]);
  });

  test("also where that instant is of the next day", () => {
    // 23:00 on 28 March is 0:00 on 29 March.
    expect(next("30 23 * * *", "America/Nuuk", "2026-03-28T12:00:00Z", 2)).toEqual([
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T00:30:00.000Z",
    ]);
  });

  test("comes once, with all others that do not exist beside it, and with what comes then anyway", () => {
    expect(next("0,20,40 2-3 * * *", "Europe/Budapest", "2026-03-29T00:00:00Z", 4)).toEqual([
      "2026-03-29T01:00:00.000Z",
      "2026-03-29T01:20:00.000Z",
      "2026-03-29T01:40:00.000Z",
      "2026-03-30T00:00:00.000Z",
    ]);
  });

  test("comes at the first of two, and not at the second", () => {
    const cron = { cron: "30 2 * * *", zone: "Europe/Budapest" };
    expect(next(cron.cron, cron.zone, "2026-10-24T12:00:00Z", 2)).toEqual([
      "2026-10-25T00:30:00.000Z",
      "2026-10-26T01:30:00.000Z",
    ]);
    const [before, second] = [at("2026-10-25T00:29:59Z"), at("2026-10-25T01:30:00Z")];
    expect(calendarOf(cron).upTo(second)).toBe(at("2026-10-25T00:30:00Z"));
    expect(calendarOf(cron).upTo(before)).toBe(at("2026-10-24T00:30:00Z"));
    expect(calendarOf(cron).after(second - 1)).toBe(at("2026-10-26T01:30:00Z"));
  });
});

describe("what is repeated goes by the time that passes", () => {
  test("in both of two hours", () => {
    expect(next("*/30 2 * * *", "Europe/Budapest", "2026-10-24T12:00:00Z", 4)).toEqual([
      "2026-10-25T00:00:00.000Z",
      "2026-10-25T00:30:00.000Z",
      "2026-10-25T01:00:00.000Z",
      "2026-10-25T01:30:00.000Z",
    ]);
  });

  test("and in none that does not exist", () => {
    expect(next("*/30 2 * * *", "Europe/Budapest", "2026-03-28T12:00:00Z", 1)).toEqual([
      "2026-03-30T00:00:00.000Z",
    ]);
  });
});

test("the last instant up to another one is that one, if it is one", () => {
  const calendar = calendarOf({ cron: "0 12 * * *", zone: "UTC" });
  const noon = at("2026-11-29T12:00:00Z");
  expect(calendar.upTo(noon)).toBe(noon);
  expect(calendar.upTo(noon + 0.5)).toBe(noon);
  expect(calendar.upTo(noon - 0.5)).toBe(noon - 86_400_000);
  expect(calendar.after(noon - 0.5)).toBe(noon);
  expect(calendar.after(noon)).toBe(noon + 86_400_000);
});

test("29 February is waited for over years", () => {
  expect(next("0 0 29 2 *", "UTC", "2097-01-01T00:00:00Z", 1)).toEqual([
    "2104-02-29T00:00:00.000Z",
  ]);
});

const now = at("2026-11-29T12:00:00Z");
const faultOf = (cron: string, zone = "UTC") => faultOfTimes({ cron, zone }, now);

describe("the times of a schedule", () => {
  test.each([
    "* * * * *",
    "*/5 0-4,6 1,L JAN-MAR MON-FRI",
    "0 9 * * MON#1",
    "0 9 * * 5L",
    "0 9 * * 7",
    "0 9 * * FRI-SUN",
    "0 9 * * wed",
    " 0  9 * * * ",
  ])("can be %j", (cron) => {
    expect(faultOf(cron)).toBeNull();
  });

  test.each([
    ["? 2 * * *", "? is not taken"],
    ["0 2 15W * *", "W is not taken"],
    ["0 2 LW * *", "W is not taken"],
    ["0 2 1 * +MON", "+ is not taken"],
    ["@daily", "@ is not taken"],
    ["0 2 * *", "exactly five"],
    ["0 0 2 * * *", "requires exactly 5 parts"],
    ["60 2 * * *", "Invalid value for minute: 60"],
    ["0 24 * * *", "Invalid value for hour: 24"],
    ["0 2 0 * *", "Invalid value for day"],
    ["0 2 32 * *", "Invalid value for day"],
    ["0 2 * 13 *", "Invalid value for month"],
    ["0 2 * * 8", "Invalid value for dayOfWeek"],
    ["0 2 * * MON#6", "nth weekday out of range"],
    ["5/10 2 * * *", "stepping with numeric prefix"],
    ["*/0 2 * * *", "illegal stepping: 0"],
    ["*/61 2 * * *", "steps cannot be greater"],
    ["30-10 2 * * *", "From value is larger"],
    ["0 2 * * MONDAY", "has to stand alone"],
    ["a 2 * * *", "illegal characters"],
    ["", "must be five fields"],
    ["0 2 30 2 *", "never comes"],
    ["0 2 31 4,6,9,11 *", "never comes"],
  ])("cannot be %j: %s", (cron, detail) => {
    expect(faultOf(cron)).toEqual({ field: "cron", detail: expect.stringContaining(detail) });
  });

  test.each(["Europe/Budapest", "UTC", "Etc/GMT+2", "America/Argentina/Buenos_Aires"])(
    "are meant in %s",
    (zone) => {
      expect(faultOf("0 2 * * *", zone)).toBeNull();
    },
  );

  test.each(["Europe/Budapset", "+02:00", "-08:00", "local", "", "UTC+2"])(
    "are not meant in %j",
    (zone) => {
      expect(faultOf("0 2 * * *", zone)).toEqual({
        field: "zone",
        detail: expect.stringContaining("IANA"),
      });
    },
  );
});
