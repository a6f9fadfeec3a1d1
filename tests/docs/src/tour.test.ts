import { globSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { pathOf, readFile } from "./repository.ts";

/** The files that the tour names, by their package: in whichever folder of it they are. */
const named = [...readFile("docs/internals/tour.md").matchAll(/^\| `(\S+)` +\| `(\S+)` +\|/gm)].map(
  ([, part = "", file = ""]) => ({ part, file }),
);

test("the tour names at most 25 files, each of them once", () => {
  expect(named.length).toBeGreaterThan(20);
  expect(named.length).toBeLessThanOrEqual(25);
  expect(new Set(named.map(({ part, file }) => `${part}/${file}`)).size).toBe(named.length);
});

test.each(named)("there is one $file in $part", ({ part, file }) => {
  expect(globSync(`${part}/{src,sql}/**/${file}`, { cwd: pathOf("") })).toHaveLength(1);
});
