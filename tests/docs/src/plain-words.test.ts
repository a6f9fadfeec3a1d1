import { globSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { markdownFiles, pathOf, readFile, sourceFiles, testFiles } from "./repository.ts";
import { titlesOf } from "./test-titles.ts";

/**
 * Words that name no actor or no mechanism, and what to say instead: "the Scheduler retries" for "it
 * is tried again", "cached" for "in hand".
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

/** What users and readers of an API see of a module: comments of exports, and texts in quotes. */
const publicTextOf = (source: string): string =>
  [
    ...source.matchAll(
      /\/\*\*(?:[^*]|\*(?!\/))*\*\/(?=\s*\n\s*(?:export|readonly|[A-Z_]+:|[a-z]\w*[(:<?]))/g,
    ),
    ...source.matchAll(/"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g),
  ]
    .map(([text]) => text)
    .join("\n");

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

describe.each(parts)("the public texts of %s", (part) => {
  test("name actors and mechanisms", () => {
    const files = sourceFiles.filter((file) => file.startsWith(part));
    const found = files.flatMap((file) => refusedIn(publicTextOf(readFile(file))));
    expect(found).toEqual([]);
  });
});
