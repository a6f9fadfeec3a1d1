import { globSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { codeFiles, commentsOf } from "./names.ts";
import { markdownFiles, pathOf, productFiles, readFile, testFiles } from "./repository.ts";
import { titlesOf } from "./test-titles.ts";

/**
 * Words that name no actor or no mechanism: "the Scheduler retries" says more than "it is tried
 * again".
 */
const refused =
  /\b(nobody|whoever|everybody|somebody|in hand|at hand|in other hands|told|heard|(?:puts?|putting)\sback|what is under way)\b/gi;

/** A page without its code, the titles of tests that it quotes, and where its links lead. */
const proseOf = (text: string): string =>
  text
    .replace(/^```[\s\S]*?^```/gm, "")
    .replace(/`[^`\n]*`/g, "")
    .replace(/\[[^\]\n]*\]\[[^\]\n]*\]/g, "")
    .replace(/\]\([^)\s]*\)/g, "]")
    .replace(/^\[[^\]]+\]: .*$/gm, "");

/** The comments of a module, and its texts in quotes: errors, log messages, answers. */
const textOf = (source: string): string =>
  [
    ...source.matchAll(/\/\*(?:[^*]|\*(?!\/))*\*\/|(?:^|\s)\/\/.*$/gm),
    ...source.matchAll(/"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g),
  ]
    .map(([text]) => text)
    .join("\n");

/** The comments of a statement or migration. */
const sqlCommentsOf = (source: string): string => (source.match(/--.*$/gm) ?? []).join("\n");

const refusedIn = (text: string): readonly string[] =>
  (text.match(refused) ?? []).map((word) => word.toLowerCase());

const refusedOnPage = (page: string): readonly string[] => refusedIn(proseOf(readFile(page)));

test.each(markdownFiles)("%s speaks of actors and mechanisms", (page) => {
  expect(refusedOnPage(page)).toEqual([]);
});

test("the titles of all tests speak of actors and mechanisms", () => {
  const titles = testFiles.flatMap((file) => titlesOf(readFile(file)));
  expect(titles.length).toBeGreaterThan(1_000);
  expect(titles.filter((title) => refusedIn(title).length > 0)).toEqual([]);
});

const parts = globSync("{packages,services}/*/src", { cwd: pathOf("") })
  .map((folder) => folder.slice(0, -"src".length))
  .toSorted();

describe.each(parts)("the comments and texts of %s", (part) => {
  test("name actors and mechanisms", () => {
    const files = productFiles.filter((file) => file.startsWith(part));
    const found = files.flatMap((file) => {
      const source = readFile(file);
      return refusedIn(file.endsWith(".sql") ? sqlCommentsOf(source) : textOf(source));
    });
    expect(found).toEqual([]);
  });
});

const folders = [...new Set(codeFiles.map((file) => file.split("/").slice(0, 2).join("/")))];

test.each(folders)("the comments of all code in %s name actors and mechanisms", (folder) => {
  const files = codeFiles.filter((file) => file === folder || file.startsWith(`${folder}/`));
  const found = files.flatMap((file) =>
    refusedIn(commentsOf(file)).map((word) => `${file}: ${word}`),
  );
  expect(found).toEqual([]);
});
