import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { parseInstant, parseWhen, resolveWhen } from "./instant.ts";

test.each([
  ["2026-11-24T10:00:00Z", "2026-11-24T10:00:00.000Z"],
  ["2026-11-24T10:00:00+02:00", "2026-11-24T08:00:00.000Z"],
  ["2026-11-24T10:00:00-05:30", "2026-11-24T15:30:00.000Z"],
  ["2026-11-24T10:00:00-00:00", "2026-11-24T10:00:00.000Z"],
  ["2028-02-29T23:59:59.999Z", "2028-02-29T23:59:59.999Z"],
  ["2026-11-24T10:00:00.5Z", "2026-11-24T10:00:00.500Z"],
  ["2026-11-24T10:00:00.123456789Z", "2026-11-24T10:00:00.123Z"],
  ["0099-03-01T00:00:00Z", "0099-03-01T00:00:00.000Z"],
])("%s is %s", (text, expected) => {
  expect(new Date(parseInstant(text)).toISOString()).toBe(expected);
});

test.each([
  "2027-02-30T10:00:00Z",
  "2027-02-29T00:00:00+02:00",
  "2027-04-31T00:00:00Z",
  "2100-02-29T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-00-10T00:00:00Z",
  "2026-11-00T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "2026-11-24T24:00:00Z",
  "2026-11-24T23:60:00Z",
  "2026-11-24T23:59:60Z",
  "2026-11-24T10:00:00+24:00",
  "2026-11-24T10:00:00+02:60",
  "2026-11-24T10:00:00",
  "2026-11-24 10:00:00Z",
  "2026-11-24t10:00:00z",
  "2026-11-24T10:00Z",
  "2026-11-24T10:00:00,5Z",
  "2026-11-24T10:00:00.Z",
  "2026-11-24T10:00:00+0200",
  "2026-11-24T10:00:00+02",
  "2026-11-24",
  "20261124T100000Z",
  "+102026-11-24T10:00:00Z",
  "1764000000",
  "1764000000000",
  "tomorrow",
  "now",
  "Tue, 24 Nov 2026 10:00:00 GMT",
  "2026-11-24T10:00:00Z ",
  " 2026-11-24T10:00:00Z",
  "2026-11-24T10:00:00Z\n",
  "２０２６-11-24T10:00:00Z",
  "",
])("%j is no instant", (text) => {
  expect(parseInstant(text)).toBeNaN();
  expect(parseWhen(text)).toBeNull();
});

test("whatever instant is written is the one that is read, in each zone", () => {
  const two = (value: number): string => String(Math.abs(value)).padStart(2, "0");
  fc.assert(
    fc.property(
      fc.date({
        min: new Date(-62_000_000_000_000),
        max: new Date(253_000_000_000_000),
        noInvalidDate: true,
      }),
      fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }),
      (date, offset) => {
        const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const zone = `${offset < 0 ? "-" : "+"}${two(Math.trunc(offset / 60))}:${two(offset % 60)}`;
        expect(parseInstant(`${local}${zone}`)).toBe(date.getTime());
      },
    ),
  );
});

test("a day is read just if a calendar has it", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9_999 }),
      fc.integer({ min: 0, max: 13 }),
      fc.integer({ min: 0, max: 32 }),
      (year, month, day) => {
        const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
        const days = [0, 31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0][month]!;
        const two = (value: number): string => String(value).padStart(2, "0");
        const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T00:00:00Z`;
        expect(Number.isNaN(parseInstant(text))).toBe(day < 1 || day > days);
      },
    ),
  );
});

test.each([
  ["+1h", 3_600_000],
  ["-90m", -5_400_000],
  ["+0s", 0],
  ["+30d", 2_592_000_000],
])("%s is %d ms from now", (text, ms) => {
  expect(resolveWhen(parseWhen(text)!, 1_000_000)).toBe(1_000_000 + ms);
});

test.each(["1h", "+", "-", "+1", "+h", "+1.5h", "+1w", "+-1h", "++1h", "+ 1h", "+1H", "+1h30m"])(
  "%j is no time from now",
  (text) => {
    expect(parseWhen(text)).toBeNull();
  },
);
