import { existsSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { anchorsOf, linksOf, type Row, rowsOf } from "./markdown.ts";
import { markdownFiles, pathOf, readFile } from "./repository.ts";
import { hasTest, titlesOf } from "./test-titles.ts";

/** Why a row may have no test. */
const reasons = ["not applicable: ", "not shown on one machine: "];

/** The groups of faults, and how many each has. */
const faults = { A: 68, B: 35, C: 14, D: 32, E: 34, F: 21, G: 12, H: 27, S: 26 };
const moreFaults = { J: 15, K: 11, L: 37, M: 37, N: 9 };
/** Acts of operators. */
const operatorFaults = { V: 33 };
/** Rights and secrets. */
const rightsFaults = { R: 28 };
/** Compose and Kubernetes. */
const placeFaults = { T: 11 };

const ids = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
const allIds: Readonly<Record<string, readonly string[]>> = {
  "docs/evidence/pattern.md": ids("P-", 71),
  "docs/evidence/faults.md": [faults, moreFaults, operatorFaults, rightsFaults, placeFaults]
    .flatMap((groups) => Object.entries(groups))
    .flatMap(([group, count]) => ids(`F-${group}`, count)),
};

const evidenceOf = ({ cells }: Row): string => cells.at(-1) ?? "";

const isExcused = (row: Row): boolean =>
  reasons.some((reason) => evidenceOf(row).startsWith(reason));

/** What is wrong with the evidence of a row; empty: nothing. */
function brokenEvidence(page: string, text: string, row: Row): readonly string[] {
  const evidence = evidenceOf(row);
  if (isExcused(row)) return [];
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

describe.each(Object.entries(allIds))("%s", (page, expected) => {
  const text = readFile(page);
  const rows = rowsOf(text);

  test("the page has every row once", () => {
    expect(rows.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
  });

  test("the page names for every row the tests that show it, or why there is none", () => {
    expect(rows.flatMap((row) => brokenEvidence(page, text, row))).toEqual([]);
    const excused = rows.filter(isExcused).length;
    process.stdout.write(`${page}: ${rows.length - excused} shown, ${excused} not\n`);
  });

  test("each file of tests that the page defines is used by a row, and defined once", () => {
    const labels = Array.from(text.matchAll(/^\[([^\]]+)\]: /gm), ([, label = ""]) => label);
    const used = new Set(Array.from(text.matchAll(/\]\[([^\]]+)\]/g), ([, label = ""]) => label));
    expect(labels.filter((label) => !used.has(label))).toEqual([]);
    expect(labels.filter((label, index) => labels.indexOf(label) !== index)).toEqual([]);
  });
});

test("no two rows of the pattern are shown by the same tests", () => {
  const rows = rowsOf(readFile("docs/evidence/pattern.md"));
  const alike = [...Map.groupBy(rows, evidenceOf).values()].filter(({ length }) => length > 1);
  expect(alike.map((some) => some.map(({ id }) => id))).toEqual([]);
});

test.each(markdownFiles)("every link of %s within this repository leads somewhere", (page) => {
  const dead = linksOf(page, readFile(page)).filter(({ file, anchor }) => {
    if (file === "") return false;
    if (!existsSync(pathOf(file))) return true;
    return anchor !== null && file.endsWith(".md") && !anchorsOf(readFile(file)).has(anchor);
  });
  expect(dead).toEqual([]);
});
