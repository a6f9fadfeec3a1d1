import { globSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { pathOf, readFile } from "./repository.ts";

const statements = globSync("packages/*/sql/**/*.sql", { cwd: pathOf("") }).toSorted();

/** Code is held to the same by `tools/structure`; a migration that has run stays as it was. */
test("the comments of statements end at column 100", () => {
  expect(statements.length).toBeGreaterThan(100);
  const wide = statements.flatMap((file) =>
    readFile(file)
      .split("\n")
      .filter((line) => line.length > 100 && line.trimStart().startsWith("--"))
      .map((line) => `${file}: ${line}`),
  );
  expect(wide).toEqual([]);
});
