import { join } from "node:path";
import { removeFeature } from "./apply-removal.ts";
import type { PatternRow } from "./read-rows.ts";
import { type Removal, removals, removalsOf } from "./removals.ts";
import { type NamedTest, runTests, type TestOutcome } from "./run-tests.ts";
import { testOf, testsOf } from "./tenths.ts";

/** What was found of one removal of a row. */
export interface RowProof {
  readonly row: string;
  /**
   * `not removed`: there is a reason; `unproved`: the test passes without the feature, or fails
   * with it.
   */
  readonly verdict: "proved" | "unproved" | "not removed";
  readonly why: string;
  readonly test: string | null;
  /** Seconds that the test took without the feature, with the start of Jest. */
  readonly seconds: number;
}

interface Options {
  /** A copy of the source. */
  readonly root: string;
  readonly rows: readonly PatternRow[];
  /** The folder to which the output of each run goes. */
  readonly logs: string;
  readonly found: (proof: RowProof) => void;
}

/**
 * Removes the feature of one row after the other, and looks whether the test fails that the row
 * names.
 */
export async function proveRows({ root, rows, logs, found }: Options): Promise<void> {
  const tests = rows.flatMap(testsOf);
  const log = join(logs, "with-all.log");
  const outcomes = tests.length === 0 ? [] : await runTests(tests, { root, log, timeout: null });
  const intact = new Map(tests.map((test, index) => [keyOf(test), outcomes[index]]));

  const prove = async (row: PatternRow, removal: Removal, name: string): Promise<RowProof> => {
    const from = performance.now();
    const proof = (verdict: RowProof["verdict"], why: string): RowProof => {
      const seconds = Math.round((performance.now() - from) / 1_000);
      return { row: row.id, test: removal.test, verdict, why, seconds };
    };
    const test = testOf(row, removal);
    const before = test && intact.get(keyOf(test));
    if (test === undefined || before?.kind !== "passed") {
      return proof("unproved", `the test is ${before?.kind ?? "absent"} with the feature`);
    }
    using _removed = removeFeature(root, removal);
    const timeout = timeoutAfter(before);
    const [after] = await runTests([test], { root, log: join(logs, `${name}.log`), timeout });
    return after?.kind === "failed"
      ? proof("proved", removal.what)
      : proof("unproved", `the test is ${after?.kind ?? "absent"} although ${removal.what}`);
  };

  for (const row of rows) {
    const kept = removals[row.id];
    if (kept !== undefined && "reason" in kept) {
      found({ row: row.id, verdict: "not removed", why: kept.reason, test: null, seconds: 0 });
    }
    for (const [index, removal] of removalsOf(row.id).entries()) {
      found(await prove(row, removal, `${row.id}-${index + 1}`));
    }
  }
}

const keyOf = ({ file, title }: NamedTest): string => `${file} ${title}`;

/**
 * The time for a test without the feature, where many wait for what never comes. It is more than
 * they took with it, on the same machine, minutes before.
 */
const timeoutAfter = ({ took }: TestOutcome): number => 10_000 + 1.5 * took;
