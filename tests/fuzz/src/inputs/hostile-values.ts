import type { Dice } from "./dice.ts";

/** Numbers at and beyond the limits of int4, int8, doubles and JSON, as they are written. */
const numbers = [
  "-1",
  "0",
  "-0",
  "0.5",
  "1",
  "2147483647",
  "2147483648",
  "-2147483649",
  "4294967296",
  "9007199254740991",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "1e300",
  "1e400",
  "-1e400",
  "1e-400",
  "0.1e1",
  "99999999999999999999999999999999999999",
  "253402300800000",
] as const;

/** Texts, as they are written between quotes. */
const texts = [
  "",
  " ",
  "\\u0000",
  "a\\u0000b",
  "\\ud800",
  "\\udfff\\ud800",
  "\\ufffe",
  "\\u202e",
  "\u{1f4a9}",
  "../../etc/passwd",
  "'; drop table state.tasks; --",
  "{}",
  "null",
  "reply.inventory.x",
  "reserve",
  "charge",
  "__proto__",
  "constructor",
  "holdfast.replies",
  "scheduler.replies.1",
  "%00",
  "\\r\\nx-injected: 1",
  "2026-01-01T00:00:00Z",
  "infinity",
] as const;

/** Values of a wrong type, or of the right type and no sense; no JSON at all, some of them. */
const others = [
  "null",
  "true",
  "false",
  "[]",
  "{}",
  "[[]]",
  "[null]",
  '{"":null}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"kind":"completed"}',
  '{"toString":1,"valueOf":2}',
  "NaN",
  "Infinity",
  "undefined",
  "01",
  "+1",
  "0x10",
  "'a'",
  ",",
  "",
] as const;

/** Keys that objects of JavaScript have anyway, or that no schema expects. As they are written. */
export const hostileKeys = [
  '"__proto__"',
  '"constructor"',
  '"prototype"',
  '"toString"',
  '"hasOwnProperty"',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"length"',
  '"x"',
] as const;

const depths = [31, 32, 33, 64, 500, 5_000] as const;
const deepest = [20_000, 100_000] as const;

/** Bytes, and how rare they are: most inputs must be small, or there would not be many. */
const sizes = [
  { oneIn: 12_000, bytes: 15 * 1024 * 1024 },
  { oneIn: 1_500, bytes: 3 * 1024 * 1024 },
  { oneIn: 400, bytes: 1024 * 1024 + 1 },
  { oneIn: 120, bytes: 256 * 1024 + 1 },
  { oneIn: 20, bytes: 70_000 },
] as const;

export const hostileNumber = (dice: Dice): string => dice.pick(numbers);
export const hostileText = (dice: Dice): string => `"${dice.pick(texts)}"`;
export const hostileOther = (dice: Dice): string => dice.pick(others);

/** How large a large value is: seldom megabytes. */
const hostileSize = (dice: Dice): number =>
  sizes.find(({ oneIn }) => dice.oneIn(oneIn))?.bytes ?? dice.between(201, 5_000);

export function hostileString(dice: Dice): string {
  const unit = dice.pick(["x", "\\u0000", "\u{1f4a9}", "\\ud800", '\\"', "ß"]);
  return `"${unit.repeat(Math.ceil(hostileSize(dice) / unit.length))}"`;
}

export function hostileArray(dice: Dice): string {
  const unit = dice.pick(["0", "[]", "{}", "null", '""', "1e300"]);
  return `[${`${unit},`.repeat(Math.ceil(hostileSize(dice) / (unit.length + 1)))}${unit}]`;
}

export function hostileDepth(dice: Dice): string {
  const depth = dice.pick(dice.oneIn(10) ? deepest : depths);
  const [open, close] = dice.pick([
    ["[", "]"],
    ['{"a":', "}"],
  ] as const);
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}
