import { expect, test } from "@jest/globals";
import { Ajv } from "ajv";
import { load } from "./reference/load.ts";
import { readFile } from "./repository.ts";

const page = readFile("docs/reference/definition.md");
const [, json = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
const schema = JSON.parse(readFile("docs/reference/schemas/workflow-definition.json")) as object;
const fits = new Ajv({ strict: false }).compile(schema);

test("the workflow of the guide fits the schema, and is one that can be stored", async () => {
  const definition = JSON.parse(json) as { readonly name: string };
  expect(definition.name).toBe("book-trip.v1");
  expect(fits(definition)).toBe(true);
  const { definitionFaults } = await load("packages/contracts/src/index.ts");
  expect((definitionFaults as (one: unknown) => unknown)(definition)).toEqual([]);
});

test("the schema refuses a field that there is not, and a step without what it needs", () => {
  const definition = JSON.parse(json) as { readonly steps: readonly object[] };
  expect(fits({ ...definition, more: 1 })).toBe(false);
  expect(fits({ ...definition, steps: [{ name: "alone" }] })).toBe(false);
});

test("every template and condition of the code is on the page", async () => {
  const template = readFile("packages/domain/src/workflow-definition.ts");
  const conditions = [
    ...template.matchAll(
      /\{ readonly (\w+): (?:readonly \[|Template|Condition|readonly Condition)/g,
    ),
  ];
  expect(conditions.length).toBe(9);
  for (const [, name] of conditions) expect(page).toContain(`{"${name}": `);
  for (const name of ["$ref", "$literal", "$concat", "$fallback"])
    expect(page).toContain(`{"${name}": `);
});
