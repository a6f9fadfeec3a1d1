import { describe, expect, test } from "@jest/globals";
import { decisionPages, numberOf } from "./decisions.ts";
import { linksOf } from "./markdown.ts";
import { readFile } from "./repository.ts";

/** The parts of a decision, in their order. Further paragraphs may stand between them. */
const parts = ["Date", "Status", "Context", "Decision", "What we gave up"];

const statusOf = (page: string): string =>
  /^\*\*Status\.\*\* (.*)$/m.exec(readFile(page))?.[1] ?? "";

describe.each(decisionPages)("%s", (page) => {
  const text = readFile(page);

  test("a decision has its number in the title, and date, status, context, decision and cost in this order", () => {
    expect(text.slice(2, 6)).toBe(numberOf(page));
    const found = [...text.matchAll(/^\*\*([A-Z][^.*]*)\.\*\*/gm)].map(([, part = ""]) => part);
    expect(found.filter((part) => parts.includes(part))).toEqual(parts);
    expect(text).toMatch(/^\*\*Date\.\*\* \d{4}-\d\d-\d\d$/m);
    expect(text).toMatch(
      /^\*\*Status\.\*\* (?:Accepted|Superseded (?:in part )?by \[.+\]\(.+\))\.$/m,
    );
  });
});

test("the status of a decision names each page that says of itself to supersede it", () => {
  const silent = decisionPages.flatMap((page) => {
    const [, olds = ""] = /^Supersedes (.+?)\.(?: |$)/m.exec(readFile(page)) ?? [];
    return linksOf(page, olds)
      .filter(({ file }) => !statusOf(file).includes(`[${numberOf(page)}]`))
      .map(({ file }) => `${file} is superseded by ${page}`);
  });
  expect(silent).toEqual([]);
});

test("the index names ten decisions to read first, and none of them is superseded as a whole", () => {
  const index = "docs/decisions/README.md";
  const [, first = ""] = /## Read these ten first\n([\s\S]*?)\n## /.exec(readFile(index)) ?? [];
  const pages = linksOf(index, first).map(({ file }) => file);
  expect(new Set(pages).size).toBe(10);
  expect(pages.filter((page) => statusOf(page).startsWith("Superseded by"))).toEqual([]);
});

test("every decision has a number of its own", () => {
  expect(new Set(decisionPages.map(numberOf)).size).toBe(decisionPages.length);
});
