import { expect, test } from "@jest/globals";
import { productFiles, readFile, sourceFiles } from "./repository.ts";

/** Made of other files. */
const generated = /\/(openapi|operations)\.ts$/;
/** What was released stays as it was: later migrations replace it. */
const migrations = /\/migrations\//;

const files = productFiles.filter((file) => !generated.test(file) && !migrations.test(file));

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
