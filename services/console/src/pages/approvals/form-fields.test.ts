import { expect, test } from "@jest/globals";
import { fieldsOf, readFields } from "./form-fields.ts";

const schema = {
  type: "object",
  properties: {
    costCentre: { type: "string", title: "Cost centre", description: "As on the invoice." },
    limit: { type: "number", default: 5 },
    days: { type: "integer" },
    isUrgent: { type: "boolean" },
    channel: { enum: ["mail", "post"] },
    level: { anyOf: [{ const: 1 }, { const: 2 }] },
  },
  required: ["costCentre", "level"],
};

const fields = fieldsOf(schema) ?? [];
const filled = (texts: Readonly<Record<string, string>>) =>
  readFields(fields, new Map(Object.entries(texts)));

test("a flat object has a field for each of its values", () => {
  expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ["costCentre", "text", true],
    ["limit", "number", false],
    ["days", "number", false],
    ["isUrgent", "boolean", false],
    ["channel", "choice", false],
    ["level", "choice", true],
  ]);
  expect(fields[0]).toMatchObject({ label: "Cost centre", hint: "As on the invoice." });
});

test("fields are read as the schema has them, and what is left empty is left out", () => {
  expect(filled({ costCentre: "17", level: "2", isUrgent: "true", days: "" })).toEqual({
    form: { costCentre: "17", limit: 5, isUrgent: true, level: 2 },
    faults: new Map(),
  });
});

test("a field that is required is missed, and a number that is none or would be rounded is refused", () => {
  const { form, faults } = filled({ limit: "12345678901234567890", days: "soon", level: "1" });
  expect(form).toEqual({ isUrgent: false, level: 1 });
  expect([...faults.keys()]).toEqual(["costCentre", "limit", "days"]);
  expect(faults.get("days")).toBe("This is no number: write it as 7 or 7.5.");
});

test.each([
  ["no object", { type: "string" }],
  ["a list within", { type: "object", properties: { tags: { type: "array" } } }],
  [
    "one of several forms",
    { type: "object", properties: { a: { type: "string" } }, oneOf: [{}, {}] },
  ],
  ["a value of several types", { type: "object", properties: { a: { type: ["string", "null"] } } }],
  [
    "a text or nothing",
    { type: "object", properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] } } },
  ],
  ["a name that has no field", { type: "object", properties: {}, required: ["a"] }],
  ["no schema", null],
])("what asks for more is filled in as JSON: %s", (_, asked) => {
  expect(fieldsOf(asked)).toBeNull();
});
