import { expect, test } from "@jest/globals";
import { schemaCompiler } from "../definition/schema-compiler.ts";
import { dialectOf, unknownIn, unsupportedIn } from "./dialect.ts";
import { formats } from "./formats.ts";
import type { JsonSchema } from "./schema-keywords.ts";

const fits = (schema: JsonSchema, value: unknown): boolean =>
  schemaCompiler({ allErrors: false })(schema).check(value).errors.length === 0;

test.each<[string, JsonSchema, string]>([
  ["draft 7 where it says nothing", { type: "object" }, "draft-07"],
  ["2020-12 where a keyword of it stands", { properties: { a: { prefixItems: [{}] } } }, "2020-12"],
  ["what it says", { $schema: "https://json-schema.org/draft/2020-12/schema" }, "2020-12"],
  [
    "what it says, without the mark at its end",
    { $schema: "http://json-schema.org/draft-07/schema" },
    "draft-07",
  ],
])("a schema is of %s", (_, schema, dialect) => {
  expect(dialectOf(schema)).toBe(dialect);
  expect(unsupportedIn(schema)).toEqual([]);
});

test("a tuple as Pydantic writes it is checked without a dialect", () => {
  const tuple = { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }] };
  expect(fits(tuple, [1, "a"])).toBe(true);
  expect(fits(tuple, ["wrong", 1])).toBe(false);
});

test.each<[string, JsonSchema, string, RegExp]>([
  [
    "2019-09",
    { $schema: "https://json-schema.org/draft/2019-09/schema" },
    "/$schema",
    /dialect \S+2019-09\S+ is not supported: these are/,
  ],
  ["draft 6", { $schema: "http://json-schema.org/draft-06/schema#" }, "/$schema", /draft-06/],
  ["draft 4", { $schema: "http://json-schema.org/draft-04/schema#" }, "/$schema", /draft-04/],
  [
    "a dialect of its own",
    { $schema: "https://example.org/2020-12/mine" },
    "/$schema",
    /example\.org/,
  ],
  ["two dialects at once", { items: [{ prefixItems: [] }] }, "/items", /use prefixItems/],
  [
    "a keyword of a later dialect",
    { $schema: "http://json-schema.org/draft-07/schema#", dependentSchemas: {} },
    "/dependentSchemas",
    /of JSON Schema 2020-12/,
  ],
  ["a keyword of an earlier dialect", { divisibleBy: 2 }, "/divisibleBy", /use multipleOf/],
  [
    "a format that is not known",
    { properties: { "a/b": { format: "iban" } } },
    "/properties/a~1b/format",
    /the format iban is not checked/,
  ],
])("%s is refused by name, with its place", (_, schema, pointer, words) => {
  expect(unsupportedIn(schema)).toEqual([{ pointer, detail: expect.stringMatching(words) }]);
});

test.each<[string, unknown, unknown]>([
  ["date", "2024-02-29", "2025-02-29"],
  ["time", "23:59:60Z", "23:59"],
  ["date-time", "2026-11-28T15:00:00.5+01:00", "2026-11-28T15:00:00"],
  ["duration", "P1DT2H", "1h"],
  ["email", "ada@example.com", "ada"],
  ["uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08"],
  ["hostname", "example.com", "-example"],
  ["ipv4", "127.0.0.1", "127.0.0.01"],
  ["ipv6", "::1", "1::2::3"],
  ["uri", "https://example.com/a?b#c", "example"],
  ["uri-reference", "/a?b#c", "\\a"],
  ["json-pointer", "/a~1b", "a"],
  ["relative-json-pointer", "1/a", "/a"],
  ["byte", "aGk=", "a"],
  ["base64", "aGk=", "%"],
  ["base64url", "aGk", "+"],
  ["int8", 127, 128],
  ["int16", -32_768, 32_768],
  ["int32", 2 ** 31 - 1, 2 ** 31],
  ["int64", 5, 5.5],
  ["uint8", 255, -1],
  ["uint16", 65_535, 65_536],
  ["uint32", 2 ** 32 - 1, 2 ** 32],
  ["uint64", 5, -5],
])("the format %s is checked", (format, good, bad) => {
  expect(fits({ format }, good)).toBe(true);
  expect(fits({ format }, bad)).toBe(false);
  expect(fits({ format }, null)).toBe(true);
});

test("each format that is checked is among those of the test above", () => {
  expect(Object.keys(formats)).toHaveLength(24);
});

test("a format beside a pattern is left to the pattern, known or not", () => {
  const local = { format: "date-time", pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d$` };
  expect(unsupportedIn({ format: "iban", pattern: "^[A-Z]{2}" })).toEqual([]);
  expect(fits(local, "2026-11-28T15:00")).toBe(true);
  expect(fits(local, "x")).toBe(false);
});

test.each([
  "date",
  "time",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uri",
  "uri-reference",
  "json-pointer",
  "relative-json-pointer",
  "base64",
])("the format %s takes no time by the square for a long text", (format) => {
  for (const text of [
    "a".repeat(250_000),
    "1".repeat(250_000),
    "a.".repeat(125_000),
    "/~0".repeat(80_000),
    `P${"1".repeat(200_000)}`,
    `a@${"a-".repeat(100_000)}`,
    "::".repeat(100_000),
    `x:${"%41".repeat(80_000)}|`,
  ]) {
    const begun = performance.now();
    fits({ format }, text);
    expect(performance.now() - begun).toBeLessThan(500);
  }
});

test("a keyword that is none is named, unless it is an extension", () => {
  const schema = { properties: { a: { propertes: {}, "x-order": 1, "ui:widget": "text" } } };
  expect(unknownIn(schema)).toMatchObject([{ pointer: "/properties/a/propertes" }]);
});
