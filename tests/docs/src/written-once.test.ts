import { globSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { pathOf, productFiles, readFile, sourceFiles } from "./repository.ts";

/** Made of other files. */
const generated = /\/(openapi|operations)\.ts$/;
/** What was released stays as it was: later migrations replace it. */
const migrations = /\/migrations\//;

const pages = globSync("services/*/src/**/*.tsx", { cwd: pathOf("") });
const files = [...productFiles, ...pages].filter(
  (file) => !generated.test(file) && !migrations.test(file) && !file.endsWith(".test.tsx"),
);

/** Characters of a class, and how often: what limits a text. */
const limitedText = /\[[^\]\n]{7,}\]\{\d+,\d+\}/g;

/** The files in which each of these is written. */
function placesOf(found: (text: string) => readonly string[]): ReadonlyMap<string, Set<string>> {
  const places = new Map<string, Set<string>>();
  for (const file of files) {
    for (const one of found(readFile(file))) {
      places.set(one, (places.get(one) ?? new Set()).add(file));
    }
  }
  return places;
}

test("a pattern that limits a text is written in one file", () => {
  const places = placesOf((text) => text.match(limitedText) ?? []);
  expect(places.size).toBeGreaterThan(5);
  expect([...places].filter(([, where]) => where.size > 1)).toEqual([]);
});

/** Lists of texts that stand in several files, and why. */
const alikeLists: Readonly<Record<string, string>> = {
  "boolean, number, string":
    "types of JavaScript that are part of a text, or that a value may have",
};
/** Files that order all of a list for the eye, or that choose from it. */
const ordersForPeople: Readonly<Record<string, string>> = {
  "services/console/src/pages/task/step-to-show.ts": "the step that one would ask for first",
  "services/console/src/pages/task/timeline/lay-out-timeline.ts": "the attempt to look at first",
  "services/console/src/pages/workflows/workflow-page.tsx": "the states from left to right",
  "packages/dev/src/keys/actions.ts": "when the terminal stops to follow a task: halted counts",
};

/** Three or more texts in brackets, or as a type; in whatever order. */
const listsIn = (text: string): readonly string[] =>
  [
    ...text.matchAll(/\[\s*((?:"[^"\n]+",?\s*){3,})\]/g),
    ...text.matchAll(/type \w+ =\s*((?:\|?\s*"[^"\n]+"\s*){3,});/g),
  ].map(([, list = ""]) =>
    [...list.matchAll(/"([^"\n]+)"/g)]
      .map(([, one = ""]) => one)
      .toSorted()
      .join(", "),
  );

test("a list of codes, states or actions is written in one file", () => {
  const places = placesOf(listsIn);
  expect(places.size).toBeGreaterThan(100);
  const several = [...places].filter(([, where]) => where.size > 1);
  const twice = several.filter(([list, where]) => {
    const written = [...where].filter((file) => !(file in ordersForPeople));
    return written.length > 1 && !(list in alikeLists);
  });
  expect(twice).toEqual([]);
  // An exception that is no longer needed goes.
  const needed = new Set(several.flatMap(([list, where]) => [list, ...where]));
  const excepted = [...Object.keys(alikeLists), ...Object.keys(ordersForPeople)];
  expect(excepted.filter((one) => !needed.has(one))).toEqual([]);
});

/** Two or more fault codes or SQLSTATEs, in brackets or as a type. */
const codesIn = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      /(?:"(?:[a-z]+\.[a-z_]+|[0-9A-Z]{5})"\s*[,|]\s*)+"(?:[a-z]+\.[a-z_]+|[0-9A-Z]{5})"/g,
    ),
  ].map(([list]) =>
    [...list.matchAll(/"([^"]+)"/g)]
      .map(([, one = ""]) => one)
      .toSorted()
      .join(", "),
  );

test("two codes that belong together are written in one file", () => {
  const places = placesOf(codesIn);
  expect(places.size).toBeGreaterThan(20);
  expect([...places].filter(([, where]) => where.size > 1)).toEqual([]);
  expect(codesIn('["task.lost", "task.gone"] "3F000" | "42P01"')).toEqual([
    "task.gone, task.lost",
    "3F000, 42P01",
  ]);
});

/** Limits of schemas that are the same number by chance, and of what. */
const alikeLimits: Readonly<Record<string, string>> = {
  "maxLength: 100": "names of operations; the mark of a page; the name of a collection",
  "maxLength: 200": "the name of a service for traces; the codes of a case",
  "maxLength: 1_000": "a setting; a list of Agents; the reason of an operator",
  "maximum: 100": "percent; connections to the state store",
  "maximum: 1_000": "failures of a case; tasks a second of a bulk operation",
  "maximum: 10_000": "steps of an Agent at a time; steps of an Agent in flight",
  "maximum: 100_000": "connections; tasks that wait; the canary of a bulk operation",
  "maxItems: 100": "fields of a definition; groups of failures; values of a condition",
  "maxItems: 200": "tasks in an event; buckets of statistics",
};
const limitInSchema = /\b(?:maxLength|maximum|maxItems|maxProperties): \d[\d_]{2,}\b/g;

test("a limit of a schema is written in one file", () => {
  const places = placesOf((text) => text.match(limitInSchema) ?? []);
  expect(places.size).toBeGreaterThan(10);
  const several = [...places].filter(([, where]) => where.size > 1);
  expect(several.filter(([limit]) => !(limit in alikeLimits))).toEqual([]);
  const needed = new Set(several.map(([limit]) => limit));
  expect(Object.keys(alikeLimits).filter((limit) => !needed.has(limit))).toEqual([]);
});

test("priorities are listed in one file, and sentences about what a text may be are made of its limit", () => {
  const once = [/"urgent", "normal", "batch"/, /urgent, normal or batch must|must be urgent/];
  const written = [/1 to 255/, /up to 63 letters/, /within 366 days/, /1 to 100 characters/];
  const filesWith = (pattern: RegExp) => files.filter((file) => pattern.test(readFile(file)));
  expect(once.flatMap(filesWith).filter((file) => !file.endsWith("/priority.ts"))).toEqual([]);
  const inWords = written.flatMap(filesWith);
  // The catalogue is prose.
  expect(inWords.filter((file) => !file.endsWith("/fault-codes.ts"))).toEqual([]);
});

test("a code has one status over HTTP", () => {
  const statuses = new Map<string, Set<string>>();
  for (const file of sourceFiles) {
    const problems = readFile(file).matchAll(
      /new Problem\(\s*(\d{3}),\s*(?:codeAt\(\w+, )?"([a-z._]+)"/g,
    );
    for (const [, status = "", code = ""] of problems) {
      statuses.set(code, (statuses.get(code) ?? new Set()).add(status));
    }
  }
  expect(statuses.size).toBeGreaterThan(30);
  expect([...statuses].filter(([, of]) => of.size > 1).map(([code]) => code)).toEqual([]);
});
