import { globSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { pathOf, productFiles, readFile } from "./repository.ts";

/** Product sources, without what is generated from the OpenAPI document. */
const sources = globSync("{packages,services}/*/src/**/*.{ts,tsx}", { cwd: pathOf("") }).filter(
  (file) => !/\.test\.tsx?$|openapi\.ts$|cli\/src\/api\/operations\.ts$/.test(file),
);

/** Shorter patterns, such as of a URL with `http`, are no rules. */
const shortestRule = 12;

/** The patterns of a source: regular expressions, and what schemas call a pattern. */
function patternsIn(source: string): readonly string[] {
  const expressions = source.matchAll(
    /(?<=[=(,:\s!&|?])\/(?![/*\s])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+)\/[a-z]*(?=[.,;)\s])/g,
  );
  const texts = source.matchAll(/pattern: "((?:\\.|[^"\\])+)"/g);
  return [
    ...[...expressions].map(([, pattern = ""]) => pattern),
    ...[...texts].map(([, pattern = ""]) => pattern.replaceAll("\\\\", "\\")),
  ];
}

/** The patterns that stand in more than one source, and where. */
function writtenTwice(texts: ReadonlyMap<string, string>): readonly string[] {
  const places = new Map<string, Set<string>>();
  for (const [file, text] of texts) {
    for (const pattern of patternsIn(text)) {
      if (pattern.length < shortestRule) continue;
      places.set(pattern, (places.get(pattern) ?? new Set()).add(file));
    }
  }
  return [...places].flatMap(([pattern, files]) =>
    files.size > 1 ? [`${pattern}: ${[...files].join(", ")}`] : [],
  );
}

test("no rule that is a pattern is written twice in the product", () => {
  expect(sources.length).toBeGreaterThan(500);
  const texts = new Map(sources.map((file) => [file, readFile(file)]));
  expect([...texts.values()].flatMap(patternsIn).length).toBeGreaterThan(100);
  expect(writtenTwice(texts)).toEqual([]);
});

test("a pattern is seen as a regular expression and in a schema", () => {
  const twice = new Map([
    ["one.ts", "const uuid = /^[0-9a-f]{8}\\.x$/;"],
    ["other.ts", 'Type.String({ pattern: "^[0-9a-f]{8}\\\\.x$" })'],
  ]);
  expect(writtenTwice(twice)).toEqual(["^[0-9a-f]{8}\\.x$: one.ts, other.ts"]);
});

test("no code asks of which kind a step is: what a kind means says one table, and an undo is the only other", () => {
  const kinds = "(?:call|wait|signal|approval|child|map)";
  const asks = new RegExp(`\\bkind\\s*(?:[!=]==|=|<>|(?:not\\s+)?in\\s*\\()\\s*['"]${kinds}['"]`);
  const asking = productFiles.filter(
    (file) => !file.includes("/migrations/") && asks.test(readFile(file)),
  );
  expect(asking).toEqual([]);
  const wrong = ['step.plan.kind !== "call"', "kind = 'wait'", "kind in ('signal')"];
  expect(wrong.every((one) => asks.test(one))).toBe(true);
});

test("durations have one grammar, which all that reads them shares", () => {
  const units = /\((?:ms\|)?s\|m\b|\[smhd\]/;
  const readers = sources.filter((file) => units.test(readFile(file)));
  // Browsers load the client without any other package; its test compares the two.
  expect(readers).toEqual(["packages/client/src/wait.ts"]);
});
