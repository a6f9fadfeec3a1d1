import { expect, test } from "@jest/globals";
import { countsIn } from "./run-tests.ts";
import { writePage } from "./write-page.ts";

test("the page of the matrix has the counts of each run, and says which could not run and why", () => {
  const page = writePage(
    [
      {
        set: "pairs",
        rabbitmq: "4.3",
        postgres: "15",
        counts: { passed: 1_200, failed: 1, seconds: 70, failures: ["a queue is there"] },
        problem: null,
      },
      { set: "pairs", rabbitmq: "5.0", postgres: "15", counts: null, problem: "nowhere" },
    ],
    new Date("2026-11-28T12:00:00Z"),
  );
  expect(page).toContain("on 2026-11-28.");
  expect(page).toMatch(/\| 4\.3 +\| 15 +\| 1,200 +\| 1 +\| 70 +\|/);
  expect(page).toMatch(/\| 5\.0 +\| 15 +\| not run: nowhere +\| - +\| - +\|/);
  expect(page).toContain("- a queue is there (4.3 with 15)");
});

test.each([
  ["7 passed, 2 failed\n3 passed, 0 failed\n", { passed: 3, failed: 0 }],
  ["the servers did not start\n", { passed: 0, failed: 1 }],
])("the totals of %j are %j", (text, counts) => {
  expect(countsIn(text)).toEqual(counts);
});
