import { expect, test } from "@jest/globals";
import {
  exactTime,
  formatAge,
  formatBytes,
  formatCount,
  formatDuration,
  formatJson,
  minuteTime,
  relativeTime,
  shortId,
  shortTime,
  splitAtInstants,
  zoneTime,
} from "./format.ts";

test.each([
  [0, "0 ms"],
  [210, "210 ms"],
  [999.6, "1000 ms"],
  [1_000, "1 s"],
  [1_440, "1.4 s"],
  [9_960, "10 s"],
  [59_400, "59 s"],
  [59_700, "1 min"],
  [125_000, "2 min 5 s"],
  [3_600_000, "1 h"],
  [11_520_000, "3 h 12 min"],
  [86_399_999, "1 d"],
  [442_800_000, "5 d 3 h"],
  [Number.NaN, "–"],
])("%d milliseconds are %p", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [0, "now"],
  [-5_000, "now"],
  [1_700, "2 s"],
  [119_000, "1 min"],
  [7_300_000, "2 h"],
])("an age of %d milliseconds is %p", (ms, text) => {
  expect(formatAge(ms)).toBe(text);
});

test("an instant is said from now", () => {
  const now = Date.parse("2026-11-25T12:00:00Z");
  expect(relativeTime("2026-11-25T11:59:56Z", now)).toBe("4 s ago");
  expect(relativeTime("2026-11-25T12:00:38Z", now)).toBe("in 38 s");
  expect(relativeTime("2026-11-25T12:00:00.400Z", now)).toBe("now");
  expect(relativeTime("no instant", now)).toBe("–");
});

test("an exact time has milliseconds, and what is no instant has none", () => {
  expect(exactTime("2026-11-25T12:00:00.114Z")).toMatch(/^2026-11-2\d \d\d:\d\d:00\.114$/);
  expect(exactTime("<script>")).toBe("–");
});

test("an instant of a whole minute is shown as clocks of a zone show it", () => {
  const at = "2026-10-25T00:30:00Z";
  expect(minuteTime(at)).toMatch(/^2026-10-2\d \d\d:30$/);
  expect(zoneTime(at, "UTC")).toBe("2026-10-25 00:30");
  expect(zoneTime(at, "Europe/Budapest")).toBe("2026-10-25 02:30");
  expect(zoneTime(Date.parse(at) + 3_600_000, "Europe/Budapest")).toBe("2026-10-25 02:30");
  expect(zoneTime(at, "America/New_York")).toBe("2026-10-24 20:30");
  expect(zoneTime(at, "Mars/Olympus")).toBeNull();
  expect(zoneTime("no instant", "UTC")).toBeNull();
});

test("numbers, sizes and ids are short", () => {
  expect(formatCount(61_204)).toBe("61,204");
  expect(formatBytes(512)).toBe("512 B");
  expect(formatBytes(4_404_019)).toBe("4.2 MiB");
  expect(formatBytes(0)).toBe("0 B");
  expect(shortId("01a1fd8d-d928-77c8-96cb-353aaba1757f")).toBe("01a1fd8d…a1757f");
  expect(shortId("short")).toBe("short");
});

test("the instants of a sentence are found, and its other words stay as they are", () => {
  const text = "Done at 2026-11-25T23:04:27.802Z, not 2026-99-99T99:99:99Z.";
  const pieces = splitAtInstants(text);
  expect(pieces.map(({ words }) => words).join("")).toBe(text);
  expect(pieces.filter(({ at }) => at !== null)).toEqual([
    { words: "2026-11-25T23:04:27.802Z", at: Date.parse("2026-11-25T23:04:27.802Z"), index: 8 },
  ]);
  expect(splitAtInstants("")).toEqual([]);
});

test("a time of another day has its day", () => {
  const now = Date.parse("2026-11-25T12:00:00");
  expect(shortTime(now - 1_000, now)).toBe("11:59:59");
  expect(shortTime(now - 86_400_000, now)).toBe("2026-11-24 12:00:00");
});

test("JSON with characters that turn its direction is shown as it is, and stays the same JSON", () => {
  const value = { name: "\u202Egnp.exe\u2066", "\u200F": ["\u061C"] };
  const text = formatJson(value);
  expect(text).toContain('"\\u202egnp.exe\\u2066"');
  expect(text).not.toMatch(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/);
  expect(JSON.parse(text)).toEqual(value);
});
