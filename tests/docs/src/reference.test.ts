import { readdirSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { generate, generatedFiles, generatedPages, schemaFolder } from "./reference/pages.ts";
import { pathOf, readFile } from "./repository.ts";

test.each(generatedPages)("%s is what `npm run reference` writes", async (page) => {
  const expected = await generate(page);
  const isCurrent = readFile(page) === expected;
  expect({ page, isCurrent, rewrite: "npm run reference" }).toEqual({
    page,
    isCurrent: true,
    rewrite: "npm run reference",
  });
});

test("asyncapi.json and the JSON Schemas are what `npm run reference` writes", async () => {
  const expected = await generatedFiles();
  const stale = [...expected].filter(([name, text]) => readFile(name) !== text);
  expect({ stale: stale.map(([name]) => name), rewrite: "npm run reference" }).toEqual({
    stale: [],
    rewrite: "npm run reference",
  });
  const schemas = [...expected.keys()].filter((name) => name.startsWith(schemaFolder));
  const there = readdirSync(pathOf(schemaFolder)).map((name) => `${schemaFolder}/${name}`);
  expect(there.toSorted()).toEqual(schemas.toSorted());
  expect(schemas.length).toBeGreaterThan(5);
});
