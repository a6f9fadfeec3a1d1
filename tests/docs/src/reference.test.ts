import { expect, test } from "@jest/globals";
import { generate, generatedPages } from "./reference/pages.ts";
import { readFile } from "./repository.ts";

test.each(generatedPages)("%s is what `npm run reference` writes", async (page) => {
  const expected = await generate(page);
  const isCurrent = readFile(page) === expected;
  expect({ page, isCurrent, rewrite: "npm run reference" }).toEqual({
    page,
    isCurrent: true,
    rewrite: "npm run reference",
  });
});
