import { existsSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { anchorsOf, linksOf, type Row, rowsOf } from "./markdown.ts";
import { markdownFiles, pathOf, readFile } from "./repository.ts";
import { hasTest, titlesOf } from "./test-titles.ts";

/** Why a row may have no test. */
const reasons = ["not applicable: ", "not shown on one machine: "];
/** How many rows still wait for theirs. */
const mostOpen = { "docs/pattern.md": 0, "docs/faults.md": 0 };

/** The groups of faults, and how many each has. */
const faults = { A: 10, B: 13, C: 10, D: 15, E: 10, F: 12, G: 12, H: 11, S: 15 };
const moreFaults = { J: 9, K: 8, L: 8, M: 6, N: 6 };

const ids = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
const allIds: Readonly<Record<keyof typeof mostOpen, readonly string[]>> = {
  "docs/pattern.md": ids("P-", 67),
  "docs/faults.md": Object.entries({ ...faults, ...moreFaults }).flatMap(([group, count]) =>
    ids(`F-${group}`, count),
  ),
};

const evidenceOf = ({ cells }: Row): string => cells.at(-1) ?? "";

/** What is wrong with the evidence of a row; empty: nothing. */
function brokenEvidence(page: string, text: string, row: Row): readonly string[] {
  const evidence = evidenceOf(row);
  if (evidence === "open" || reasons.some((reason) => evidence.startsWith(reason))) return [];
  const definitions = text.slice(text.search(/^\[[^\]]+\]: /m));
  const links = linksOf(page, `${evidence}\n\n${definitions}`);
  if (links.length === 0) return [`${row.id}: neither a test nor a reason`];
  return links.flatMap(({ text: title, file }) => {
    if (!file.endsWith(".test.ts") || !existsSync(pathOf(file))) {
      return [`${row.id}: ${file} is no file of tests`];
    }
    const isThere = hasTest(titlesOf(readFile(file)), title);
    return isThere ? [] : [`${row.id}: ${file} has no test "${title}"`];
  });
}

describe.each(Object.keys(allIds) as (keyof typeof allIds)[])("%s", (page) => {
  const text = readFile(page);
  const rows = rowsOf(text);
  const open = rows.filter((row) => evidenceOf(row) === "open");

  test("has every row once", () => {
    expect(rows.map(({ id }) => id).toSorted()).toEqual(allIds[page].toSorted());
  });

  test("names for every row the tests that show it, or why there is none", () => {
    expect(rows.flatMap((row) => brokenEvidence(page, text, row))).toEqual([]);
  });

  test("has no more open rows than were admitted", () => {
    const excused = rows.filter((row) => reasons.some((one) => evidenceOf(row).startsWith(one)));
    const shown = rows.length - open.length - excused.length;
    process.stdout.write(
      `${page}: ${shown} shown, ${excused.length} not, ${open.length} open, of ${rows.length}\n`,
    );
    expect(open.length).toBeLessThanOrEqual(mostOpen[page]);
  });
});

test.each(markdownFiles)("every link of %s within this repository leads somewhere", (page) => {
  const dead = linksOf(page, readFile(page)).filter(({ file, anchor }) => {
    if (file === "") return false;
    if (!existsSync(pathOf(file))) return true;
    return anchor !== null && file.endsWith(".md") && !anchorsOf(readFile(file)).has(anchor);
  });
  expect(dead).toEqual([]);
});
