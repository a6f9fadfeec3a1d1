import { expect, test } from "@jest/globals";
import { schemaChecks } from "./schema-faults.ts";

const schemaFaults = (json: unknown) => [...schemaChecks(json)].flat();

const definition = { inputSchema: { type: "object" } };
const good = { type: "object", properties: { id: { type: "string" } } };
const prefix = "is no JSON Schema that can be compiled:";

test("a definition whose schemas can be compiled has no faults", () => {
  const of2020 = { ...good, $schema: "https://json-schema.org/draft/2020-12/schema" };
  expect(
    schemaFaults({ ...definition, inputs: { "a.do": of2020 }, outputs: { "a.do": good } }),
  ).toEqual([]);
});

test.each([
  ["an unknown type", { type: "strin" }],
  ["a pattern that is no regular expression", { type: "string", pattern: "(" }],
  ["a reference that leads nowhere", { $ref: "#/definitions/absent" }],
])("a contract with %s is a fault at its own pointer", (_, bad) => {
  const found = schemaFaults({
    ...definition,
    inputs: { "a.do": good, "b/c.do": bad },
    outputs: { "a.do": bad },
  });
  expect(found.map(({ pointer }) => pointer)).toEqual(["/inputs/b~1c.do", "/outputs/a.do"]);
  for (const { detail } of found) expect(detail.startsWith(prefix)).toBe(true);
});

test("a schema of the input that cannot be compiled is a fault", () => {
  expect(schemaFaults({ inputSchema: { type: "strin" } })).toMatchObject([
    { pointer: "/inputSchema" },
  ]);
});

test("two contracts with one $id are two schemas: each is compiled by itself", () => {
  const named = { $id: "https://example.org/thing", ...good };
  expect(schemaFaults({ ...definition, inputs: { "a.do": named, "b.do": { ...named } } })).toEqual(
    [],
  );
});

test("references more than a hundred deep cannot be compiled, and are a fault", () => {
  const definitions = Object.fromEntries(
    Array.from({ length: 400 }, (_, level) => [
      `a${level}`,
      level === 399 ? {} : { allOf: [{ $ref: `#/definitions/a${level + 1}` }] },
    ]),
  );
  const deep = { definitions, $ref: "#/definitions/a0" };
  expect(schemaFaults({ ...definition, outputs: { "a.do": deep } })).toMatchObject([
    { pointer: "/outputs/a.do" },
  ]);
});

test("a part that cannot be checked in bounded time is a fault at its own pointer", () => {
  const bad = { properties: { "a/b": { items: { pattern: "(a+)\\1" } } }, $async: true };
  expect(schemaFaults({ inputSchema: bad })).toEqual([
    { pointer: "/inputSchema/$async", detail: expect.stringContaining("leave it out") },
    {
      pointer: "/inputSchema/properties/a~1b/items/pattern",
      detail: expect.stringMatching(/^the pattern refers back to a group at 4/),
    },
  ]);
});

test.each([
  "#/%zz",
  "#/$defs/100%",
  "#/$defs/%",
  "#/$defs/a%2",
  "#/$defs/%ff",
  "#%",
  "other.json#/%",
])("a reference to %s, which cannot be decoded, is a fault at its own pointer", (ref) => {
  const schema = {
    properties: { "a/b": { items: { $ref: ref } } },
    $defs: { "100%": good, "%": good, "a%2": good, "%ff": good },
    "%zz": good,
  };
  expect(schemaFaults({ inputSchema: schema })).toEqual([
    {
      pointer: "/inputSchema/properties/a~1b/items/$ref",
      detail: expect.stringMatching(/^has a % that begins no encoded character: .* %25/),
    },
  ]);
});

test("a reference to a name with a % is taken where the % is encoded", () => {
  const inputSchema = { $ref: "#/$defs/100%25%20~1", $defs: { "100% /": good } };
  expect(schemaFaults({ inputSchema })).toEqual([]);
});
