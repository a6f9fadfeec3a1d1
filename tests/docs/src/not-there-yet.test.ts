import { expect, test } from "@jest/globals";
import { exists, nameOf } from "./names.ts";
import { load } from "./reference/load.ts";
import { markdownFiles, readFile } from "./repository.ts";

const list = /^## [^\n]*\bnot there yet\b[^\n]*\n([\s\S]*?)(?=^## |(?![\s\S]))/gim;

/** The lines of all lists of what is not there yet. */
const bullets = markdownFiles.flatMap((page) =>
  [...readFile(page).matchAll(list)].flatMap(([, text = ""]) =>
    text
      .split("\n")
      .filter((line) => line.startsWith("- "))
      .map((bullet) => ({ page, bullet })),
  ),
);

const stepKinds = (await load("packages/domain/src/index.ts"))["stepKinds"] as object;
const ofWorkflows = await load("packages/workflow/src/index.ts");

/** Names that can be looked up, kinds of steps, and functions of workflows. */
const isName = (word: string): boolean => nameOf(word) !== null || /^[a-z][A-Za-z]*$/.test(word);

const isThere = (word: string): boolean => {
  const name = nameOf(word);
  return name === null ? word in stepKinds || word in ofWorkflows : exists(name);
};

test("there is a list of what is not there yet", () => {
  expect(bullets.length).toBeGreaterThan(5);
});

test.each(bullets)("in $page, `$bullet` names something, and nothing that exists", ({ bullet }) => {
  const words = [...bullet.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
  expect(words).not.toEqual([]);
  expect(words.filter((word) => !isName(word))).toEqual([]);
  expect(words.filter(isThere)).toEqual([]);
});

test("of what exists a path, a route, a setting, a kind of step and a function of workflows are found", () => {
  const there = [".ci/run", "POST /v1/tasks", "OPERATOR_TOKEN", "call", "equals", "task.invalid"];
  expect(there.filter(isThere)).toEqual(there);
});
