import { expect, test } from "@jest/globals";
import { schemaFaults } from "./schema-faults.ts";

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

test("two contracts with one $id are a fault, because the store could enforce only the first", () => {
  const named = { $id: "https://example.org/thing", ...good };
  const found = schemaFaults({ ...definition, inputs: { "a.do": named, "b.do": { ...named } } });
  expect(found).toMatchObject([{ pointer: "/inputs/b.do" }]);
});
