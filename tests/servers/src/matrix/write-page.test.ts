import { expect, test } from "@jest/globals";
import { countsIn } from "./run-tests.ts";
import { type Line, readPage, writePage } from "./write-page.ts";

const line = (rabbitmq: string, postgres: string, failures: readonly string[]): Line => ({
  set: "pairs",
  rabbitmq,
  postgres,
  counts: { passed: 1_200, failed: failures.length, seconds: 70, failures },
  problem: null,
  date: "2026-11-28",
});
const nowhere: Line = { ...line("5.0", "15", []), counts: null, problem: "nowhere" };

test("the page of the matrix has the counts of each run, and says which could not run and why", () => {
  const page = writePage("", [line("4.3", "15", ["a queue is there"]), nowhere]);
  expect(page).toMatch(/\| 4\.3 +\| 15 +\| 1,200 +\| 1 +\| 70 +\| 2026-11-28 \|/);
  expect(page).toMatch(/\| 5\.0 +\| 15 +\| not run: nowhere +\| - +\| - +\| 2026-11-28 \|/);
  expect(page).toContain("- a queue is there (4.3 with 15)");
});

test("a page is read as it was written", () => {
  const lines: readonly Line[] = [
    { ...line("3.10", "15", []), set: "rabbitmq" },
    line("3.10", "15", ["a queue (of two, or of three) is there"]),
    line("4.0", "15", ["a queue (of two, or of three) is there", "a message is read"]),
    nowhere,
  ];
  expect(readPage(writePage("", lines))).toEqual(lines);
});

test("a run on some releases replaces their rows and failures, and leaves the others and what was found", () => {
  const found = "## What it found\n\n- a connection that was closed\n";
  const first = writePage("", [
    line("4.3", "15", ["a queue is there"]),
    line("4.3", "17", ["a queue is there"]),
    line("3.10", "18", []),
  ]);
  const later = { ...line("4.3", "15", []), date: "2026-11-29" };
  const page = writePage(`${first}\n${found}`, [later, line("4.3", "16", [])]);
  expect(readPage(page).map(({ rabbitmq, postgres, date }) => [rabbitmq, postgres, date])).toEqual([
    ["3.10", "18", "2026-11-28"],
    ["4.3", "15", "2026-11-29"],
    ["4.3", "16", "2026-11-28"],
    ["4.3", "17", "2026-11-28"],
  ]);
  expect(page).toContain("- a queue is there (4.3 with 17)\n");
  expect(page.endsWith(found)).toBe(true);
  expect(writePage(page, [later])).toBe(page);
});

test.each([
  ["7 passed, 2 failed\n3 passed, 0 failed\n", { passed: 3, failed: 0 }],
  ["the servers did not start\n", { passed: 0, failed: 1 }],
])("the totals of %j are %j", (text, counts) => {
  expect(countsIn(text)).toEqual(counts);
});
