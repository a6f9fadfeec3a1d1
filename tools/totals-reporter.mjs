import { writeFileSync } from "node:fs";

/** Leaves the totals where `npm test` prints them from, as its very last line. */
export default class TotalsReporter {
  /**
   * @param {unknown} _contexts
   * @param {import("jest").AggregatedResult} results
   */
  onRunComplete(_contexts, results) {
    if (process.env.HOLDFAST_TOTALS) writeFileSync(process.env.HOLDFAST_TOTALS, totals(results));
  }
}

/** A file that could not be run at all is a failure, although none of its tests is. */
function totals(results) {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = results.numPendingTests + results.numTodoTests;
  const counted = `${results.numPassedTests} passed, ${failed} failed`;
  return skipped === 0 ? counted : `${counted}, ${skipped} skipped`;
}
