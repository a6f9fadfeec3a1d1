import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { resultOf, type SuiteResult, suiteOf } from "../../test/json-schema-suite.ts";

const results = {
  "draft-07": suiteOf("draft-07").map(resultOf),
  "2020-12": suiteOf("2020-12").map(resultOf),
};
const all = Object.values(results).flat();

/** What is otherwise than the suite has it, each with the reason that the page gives. */
const known: readonly RegExp[] = [
  // `format` is checked in both dialects: in 2020-12 an annotation unless it is said.
  /^2020-12 format: .* is only an annotation by default$/,
  // Annotations, which draft 7 lets a validator check.
  /^draft-07 optional\/content: /,
  // Names of hosts in other alphabets are held to the letters of ASCII alone.
  /optional\/format\/hostname: validation of A-label/,
  // Letters of other alphabets are taken in addresses.
  /unescaped non US-ASCII characters$/,
  // No payload has such a field or number.
  /__proto__ not valid$/,
  /optional\/float-overflow: /,
];

const wrongIn = ({ group, wrong }: SuiteResult): readonly string[] =>
  wrong.map(
    ({ description }) => `${group.dialect} ${group.file}: ${group.description}: ${description}`,
  );

test("a schema of the official suite is checked as the suite has it, or refused when it is stored, but for what the page names", () => {
  const wrong = all.flatMap(wrongIn);
  expect(wrong.filter((one) => !known.some((reason) => reason.test(one)))).toEqual([]);
  for (const reason of known) expect(wrong.some((one) => reason.test(one))).toBe(true);
});

test("a schema of the official suite that is refused is refused with its place and a reason", () => {
  const reasons: readonly RegExp[] = [
    /refers to another schema/,
    /^\S+\/format the format \S+ is not checked: put a pattern beside it/,
    /^\S+\/\$schema the dialect \S+ is not supported: these are/,
    /\$dynamicRef is not supported/,
    /^\S+\/unevaluated(Items|Properties) unevaluated\w+ is not supported where/,
    /\$ref stands beside \w+, which draft 7 ignores/,
    /can't resolve reference/,
    /enum must have non-empty array/,
    /is a keyword of JSON Schema 2020-12, and \$schema says draft 7/,
    /is of draft 7, and \$schema says 2020-12/,
  ];
  const refusals = all.flatMap(({ refusal }) => refusal ?? []);
  expect(refusals.filter((one) => !reasons.some((reason) => reason.test(one)))).toEqual([]);
});

const page = new URL("../../../../docs/reference/json-schema.md", import.meta.url);
const marks = ["<!-- suite -->\n\n", "\n<!-- end -->"] as const;

interface Row {
  readonly right: number;
  readonly other: number;
  readonly refused: number;
}

function rowOf(dialect: keyof typeof results, file: string): Row | null {
  const found = results[dialect].filter(({ group }) => group.file === file);
  if (found.length === 0) return null;
  const sum = (count: (one: SuiteResult) => number) =>
    found.reduce((before, one) => before + count(one), 0);
  const other = sum(({ wrong }) => wrong.length);
  const refused = sum(({ refusal, group }) => (refusal === null ? 0 : group.tests.length));
  return { right: sum(({ group }) => group.tests.length) - other - refused, other, refused };
}

const cellsOf = (row: Row | null): string =>
  row === null ? " – | – | –" : ` ${row.right} | ${row.other || ""} | ${row.refused || ""}`;

const totalOf = (rows: readonly (Row | null)[]): Row =>
  rows.reduce<Row>(
    (sum, row) => ({
      right: sum.right + (row?.right ?? 0),
      other: sum.other + (row?.other ?? 0),
      refused: sum.refused + (row?.refused ?? 0),
    }),
    { right: 0, other: 0, refused: 0 },
  );

function table(): string {
  const files = [...new Set(all.map(({ group }) => group.file))].toSorted();
  const rows = files.map(
    (file) => [file, rowOf("draft-07", file), rowOf("2020-12", file)] as const,
  );
  const lines = rows.map(
    ([file, older, newer]) => `| ${file} |${cellsOf(older)} |${cellsOf(newer)} |`,
  );
  const total = `| all |${cellsOf(totalOf(rows.map(([, older]) => older)))} |${cellsOf(totalOf(rows.map(([, , newer]) => newer)))} |`;
  return [
    "| File of the suite | draft 7: as it says | otherwise | refused | 2020-12: as it says | otherwise | refused |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...lines,
    total,
  ].join("\n");
}

/** A table, however wide its columns are written. */
const unaligned = (text: string): string => text.replaceAll(/-{3,}/g, "---").replaceAll(/ +/g, " ");

describe("the page about JSON Schema", () => {
  test("has the figures of the suite by file and dialect: WRITE_SCHEMAS=yes writes them", () => {
    const text = readFileSync(page, "utf8");
    const [start, end] = [text.indexOf(marks[0]) + marks[0].length, text.indexOf(marks[1])];
    const written = `${text.slice(0, start)}${table()}\n${text.slice(end)}`;
    if (process.env["WRITE_SCHEMAS"] === "yes") writeFileSync(page, written);
    else expect(unaligned(text)).toBe(unaligned(written));
  });
});
