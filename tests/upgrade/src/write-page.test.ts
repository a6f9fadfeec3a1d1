import { expect, test } from "@jest/globals";
import { goodReport } from "./testing.ts";
import { writePage } from "./write-page.ts";

const at = new Date("2026-11-28T12:00:00Z");

test("the page of a run has the releases, the date, the kills and what became of the orders", () => {
  const page = writePage("", goodReport, at);
  expect(page).toContain("## From 1234abcd to 5678ef01");
  expect(page).toContain(
    "On 2026-11-28, 600 s of orders, seed 7: 7,370 orders accepted, 150 processes killed, 0 lost, 0 doubled. Both releases have the same schema; services were replaced one by one. All services went back to 1234abcd, Agents first, and forward again.",
  );
  expect(page).toMatch(/\| before \| everything of 1234abcd \| 75 +\| 18 +\| 0 +\| 900 +\| 1\.2 s/);
  expect(page).toMatch(/\| lost +\| 0 +\|/);
  expect(page).not.toContain("Wrong:");
});

test("the page says which migrations stopped services, and how the release before refuses the store", () => {
  const page = writePage(
    "",
    {
      ...goodReport,
      migrations: ["0022_words_of_the_store"],
      stopped: true,
      refusals: [{ service: "scheduler", said: "The state store has schema 29" }],
    },
    at,
  );
  expect(page).toContain("were stopped for `0022_words_of_the_store`; Agents went on.");
  expect(page).toContain('scheduler of 1234abcd end at their start and say "The state store has');
});

test("a run replaces the earlier one from the same release, and leaves those from others", () => {
  const first = writePage("", goodReport, at);
  const second = writePage(first, { ...goodReport, from: "0000aaaa" }, at);
  const third = writePage(second, { ...goodReport, lost: 1, witnesses: ["x is gone"] }, at);
  const titles = [...third.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  expect(titles).toEqual(["From 1234abcd to 5678ef01", "From 0000aaaa to 5678ef01"]);
  expect(third).toContain("Wrong:\n\n- lost: 1\n- x is gone");
  expect(third.match(/^# /gm)).toHaveLength(1);
});
