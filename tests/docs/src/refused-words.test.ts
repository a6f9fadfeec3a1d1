import { describe, expect, test } from "@jest/globals";
import { loadFaultCodes } from "./reference/fault-codes-page.ts";
import { allFiles, productFiles, readFile, sourceFiles } from "./repository.ts";

interface Refused {
  readonly words: readonly string[];
  /** Names in which the word may stand. */
  readonly except: ReadonlySet<string>;
}

const glossary = readFile("docs/internals/glossary.md");

/** The rows of the first table below a heading or a sentence, as cells. */
function rowsBelow(text: string): readonly (readonly string[])[] {
  const [, below = ""] = glossary.split(text);
  const lines = below.slice(below.indexOf("\n|")).trimStart().split("\n");
  const end = lines.findIndex((line) => !line.startsWith("|"));
  return lines.slice(2, end === -1 ? undefined : end).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const refused: readonly Refused[] = rowsBelow("## Refused words").map(
  ([words = "", , except = ""]) => ({
    words: words.split(", "),
    except: new Set([...except.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name.toLowerCase())),
  }),
);

/** The words of a name, in small letters: in capitals, with hyphens or with underscores alike. */
const wordsOf = (name: string): readonly string[] =>
  [...name.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)].map(([word]) => word.toLowerCase());

/** Whether a name has the word, as it is or as another form of it. */
const has = (name: string, word: string): boolean =>
  wordsOf(name).some((one) => new RegExp(`^${word}(?:s|es|ed|ing|ings)?$`).test(one));

/** The refused words of a name. A name in which a word may stand is taken out of it first. */
function refusedIn(name: string): readonly string[] {
  const plain = wordsOf(name).join("");
  return refused.flatMap(({ words, except }) => {
    const isExcepted = [...except].some((one) => plain.includes(one));
    return isExcepted ? [] : words.filter((word) => has(name, word));
  });
}

const exported = (source: string): readonly string[] =>
  [
    ...source.matchAll(
      /^export (?:declare )?(?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm,
    ),
  ].map(([, name = ""]) => name);

const keysOf = (json: unknown): readonly string[] =>
  typeof json !== "object" || json === null
    ? []
    : Object.entries(json).flatMap(([key, value]) => [
        ...(key === "properties" && typeof value === "object" ? Object.keys(value ?? {}) : []),
        ...keysOf(value),
      ]);

const schemas = allFiles.filter(
  (file) => file.startsWith("docs/reference/") && file.endsWith(".json"),
);
const firstCells = (page: string): readonly string[] =>
  [...readFile(page).matchAll(/^\| `([^`]+)`/gm)].map(([, name = ""]) => name);
const withoutTexts = (sql: string): string => sql.replace(/--.*$/gm, "").replace(/'[^']*'/g, "");
const statements = productFiles.filter((file) => /\/sql\//.test(file));

const names: Readonly<Record<string, readonly string[]>> = {
  files: productFiles
    .filter((file) => !file.includes("/migrations/"))
    .map((file) => file.split("/").at(-1) ?? ""),
  exports: sourceFiles.flatMap((file) => exported(readFile(file))),
  "tables, columns and parameters": statements.flatMap(
    (file) => withoutTexts(readFile(file)).match(/[a-z_]+/g) ?? [],
  ),
  settings: firstCells("docs/reference/config.md"),
  metrics: firstCells("docs/reference/metrics.md"),
  codes: Object.keys(await loadFaultCodes()),
  "fields of messages and answers": schemas.flatMap((file) => keysOf(JSON.parse(readFile(file)))),
};

describe("no word that the glossary refuses stands in the names of", () => {
  test.each(Object.keys(names))("%s", (kind) => {
    const all = new Set(names[kind]);
    expect(all.size).toBeGreaterThan(10);
    expect([...all].filter((name) => refusedIn(name).length > 0)).toEqual([]);
  });
});

test("a refused word is found in each form of a name, and an excepted name is not", () => {
  expect(refused.length).toBeGreaterThan(10);
  const found = (name: string) => refusedIn(name).length > 0;
  expect(
    ["relayAfter", "relay_at", "relayed-steps.ts", "RELAY_DELAY", "LetterAct"].filter(found),
  ).toHaveLength(5);
  expect(
    ["deadLetterAct", "SHUTDOWN_GRACE", "scanWindow", "lookup", "relation"].filter(found),
  ).toEqual([]);
});

test("each word of the glossary stands there once, in the order of the alphabet", () => {
  const words = rowsBelow("# Glossary").map(([word = ""]) =>
    word.replace(/[*`]/g, "").toLowerCase().split(",")[0]!.trim(),
  );
  expect(words.length).toBeGreaterThan(80);
  expect(new Set(words).size).toBe(words.length);
  const meant = (word: string) => word.replace(/[^a-z]/g, "");
  expect(words).toEqual(words.toSorted((one, other) => (meant(one) < meant(other) ? -1 : 1)));
});

/** The words of a name as the glossary has them: with spaces, and of one thing. */
const singular = (name: string): string =>
  name
    .replace(/[-_]/g, " ")
    .replace(/ies$/, "y")
    .replace(/(?<=[^s])s$/, "");

describe("the glossary has each word, or calls it plain, of", () => {
  const [, plain = ""] = /## Plain words\n\n[^\n]*\n\n([^#]*)/.exec(glossary) ?? [];
  const terms = rowsBelow("# Glossary").flatMap(([cell = ""]) => cell.split(","));
  const whole = [...terms, ...plain.split(",")].map((word) =>
    singular(
      word
        .replace(/[*`\s]+/g, " ")
        .trim()
        .toLowerCase(),
    ),
  );
  // A name may be made of words of several.
  const known = new Set(whole.flatMap((word) => [word, ...word.split(" ").map(singular)]));
  const isKnown = (name: string): boolean =>
    known.has(singular(name)) ||
    name.endsWith("_id_seq") ||
    name.split(/[-_]/).every((word) => known.has(singular(word)));
  const { paths } = JSON.parse(readFile("docs/reference/openapi.json")) as {
    readonly paths: object;
  };
  test.each(
    Object.entries({
      routes: Object.keys(paths).flatMap((path) =>
        path.split("/").filter((part) => /^[a-z-]{3,}$/.test(part)),
      ),
      "areas of codes": names["codes"]!.map((code) => code.split(".")[0]!),
      tables: statements.flatMap(
        (file) =>
          readFile(file).match(/(?<=\b(?:from|into|update|join) state\.)[a-z_]+\b(?!\()/g) ?? [],
      ),
    }),
  )("%s", (_, found) => {
    expect(new Set(found).size).toBeGreaterThan(10);
    expect([...new Set(found)].filter((name) => !isKnown(name))).toEqual([]);
  });
});
