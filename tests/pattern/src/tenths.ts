import type { PatternRow } from "./read-rows.ts";
import { type Removal, removalsOf } from "./removals.ts";
import type { NamedTest } from "./run-tests.ts";

/** How many parts the proof of all rows has. */
export const tenths = 10;

/**
 * The rows of one tenth, from 0 to 9, in the order of the page. All ten together have each row
 * once. Rows are dealt like cards, those with the slowest tests first, so that each tenth takes
 * about as long as another.
 */
export function rowsOfTenth(rows: readonly PatternRow[], tenth: number): readonly PatternRow[] {
  const slowestFirst = rows.toSorted((one, other) => costOf(other) - costOf(one));
  const dealt = new Set(slowestFirst.filter((_, index) => index % tenths === tenth));
  return rows.filter((row) => dealt.has(row));
}

/** The tests that must fail without the feature of a row. */
export const testsOf = (row: PatternRow): readonly NamedTest[] =>
  removalsOf(row.id).flatMap((removal) => testOf(row, removal) ?? []);

/** The test that must fail after a removal; undefined: the row names none of this title. */
export const testOf = (row: PatternRow, removal: Removal): NamedTest | undefined =>
  row.tests.find(({ title }) => title === removal.test);

/** Seconds that the proof of a row takes, by the kinds of its tests. */
const costOf = (row: PatternRow): number =>
  testsOf(row).reduce((sum, { file }) => sum + costOfKind(file), 0);

function costOfKind(file: string): number {
  if (file.endsWith(".system.test.ts")) return 40;
  return file.endsWith(".integration.test.ts") ? 5 : 2;
}
