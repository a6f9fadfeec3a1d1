import { expect, test } from "@jest/globals";
import { errorText } from "./error-text.ts";

const several = (...errors: readonly unknown[]) => new AggregateError(errors);

test.each([
  ["an error with a message", new TypeError("x is no function"), "x is no function"],
  [
    "an error for several",
    several(new Error("refused ::1"), new Error("refused 127.0.0.1")),
    "refused ::1; refused 127.0.0.1",
  ],
  [
    "an error for several that say nothing",
    several(several(), new Error("")),
    "AggregateError; Error",
  ],
  [
    "an error with a code alone",
    Object.assign(new Error(""), { code: "ECONNREFUSED" }),
    "ECONNREFUSED",
  ],
  ["a text", "no", "no"],
  ["nothing", undefined, "undefined"],
  ["null", null, "null"],
  ["an object that is no error", { reason: 1 }, "an error without a text"],
])("the text of %s says something", (_, error, text) => {
  expect(errorText(error)).toBe(text);
});

test("an error that stands for itself has a text, too", () => {
  const error = new AggregateError([], "");
  error.errors.push(error, new Error("gone"));
  expect(errorText(error)).toBe("AggregateError; gone");
});
