import { join } from "node:path";
import { removeFeature } from "./apply-removal.ts";
import type { PatternRow } from "./read-rows.ts";
import { type Removal, removals } from "./removals.ts";
import { runTest, type TestOutcome } from "./run-test.ts";

/** What was found of one row. */
export interface RowProof {
  readonly row: string;
  /** `not removed`: there is a reason; `unproved`: the test passes without the feature, or fails with it. */
  readonly verdict: "proved" | "unproved" | "not removed";
  readonly why: string;
  readonly test: string | null;
}

interface Options {
  /** A copy of the source. */
  readonly root: string;
  readonly rows: readonly PatternRow[];
  /** Where the output of each test goes. */
  readonly logs: string;
  readonly found: (proof: RowProof) => void;
}

/** Removes the feature of one row after the other, and looks whether the test fails that the row names. */
export async function proveRows({ root, rows, logs, found }: Options): Promise<void> {
  const before = new Map<string, Promise<TestOutcome>>();
  const testAt = (file: string, title: string, name: string) =>
    runTest({ root, file, title, log: join(logs, `${name}.log`) });

  /** Several rows name the same test. */
  const once = (key: string, run: () => Promise<TestOutcome>): Promise<TestOutcome> => {
    const running = before.get(key) ?? run();
    before.set(key, running);
    return running;
  };

  const prove = async (row: PatternRow, removal: Removal): Promise<RowProof> => {
    const { what, test } = removal;
    const file = row.tests.find(({ title }) => title === test)?.file ?? "";
    const key = `${file} ${test}`;
    const intact = await once(key, () => testAt(file, test, `${row.id}-with`));
    const common = { row: row.id, test };
    if (intact !== "passed") {
      return { ...common, verdict: "unproved", why: `the test is ${intact} with the feature` };
    }
    using _removed = removeFeature(root, removal);
    const outcome = await testAt(file, test, `${row.id}-without`);
    return outcome === "failed"
      ? { ...common, verdict: "proved", why: what }
      : { ...common, verdict: "unproved", why: `the test is ${outcome} although ${what}` };
  };

  for (const row of rows) {
    const removal = removals[row.id] ?? { reason: "nobody has said how to remove it" };
    found(
      "reason" in removal
        ? { row: row.id, verdict: "not removed", why: removal.reason, test: null }
        : await prove(row, removal),
    );
  }
}
