import { describe, expect, test } from "@jest/globals";
import { decisionPages, numberOf } from "./decisions.ts";
import { readFile } from "./repository.ts";

/** The parts of a decision, in their order. Further paragraphs may stand between them. */
const parts = ["Date", "Status", "Context", "Decision", "What we gave up"];

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

test("every decision has a number of its own", () => {
  expect(new Set(decisionPages.map(numberOf)).size).toBe(decisionPages.length);
});
