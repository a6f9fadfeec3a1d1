import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { root } from "./root.mjs";

/** Milliseconds for the servers to stop once all tests have ended. */
const stopWithin = 60_000;

/**
 * How much of a failure's message is repeated at the end of the run: the whole stands further up.
 */
const shown = { lines: 3, characters: 300 };

/**
 * Leaves in a file, for `npm test`, which test files are running, and at the end the failures and
 * the totals.
 */
export default class TotalsReporter {
  /** @type {Set<string>} */
  #running = new Set();

  /** @param {{ readonly path: string }} test */
  onTestFileStart({ path }) {
    this.#running.add(relative(root, path));
    this.#write({});
  }

  /** @param {{ readonly path: string }} test */
  onTestFileResult({ path }) {
    this.#running.delete(relative(root, path));
    this.#write({});
  }

  /**
   * @param {unknown} _contexts
   * @param {import("jest").AggregatedResult} results
   */
  onRunComplete(_contexts, results) {
    this.#write({ totals: totals(results), failures: failuresOf(results) });
    // A single worker is this very process: a loop that a test left behind keeps it alive.
    setTimeout(() => {
      process.stderr.write("\nAll tests have ended, but something that they started goes on.\n");
      process.exit(results.success ? 0 : 1);
    }, stopWithin).unref();
  }

  /** @param {{ readonly totals?: string, readonly failures?: readonly string[] }} result */
  #write(result) {
    const file = process.env.HOLDFAST_PROGRESS;
    if (file) writeFileSync(file, JSON.stringify({ running: [...this.#running], ...result }));
  }
}

/**
 * One line for each test that failed, and for each file that could not be run.
 * @param {import("jest").AggregatedResult} results
 */
function failuresOf({ testResults }) {
  return testResults.flatMap(({ testFilePath, testExecError, testResults: tests }) => {
    const file = relative(root, testFilePath);
    const failed = tests.filter(({ status }) => status === "failed");
    const lines = failed.map(
      ({ fullName, failureMessages }) => `${file}: ${fullName}: ${shorten(failureMessages[0])}`,
    );
    if (testExecError && failed.length === 0) {
      lines.push(
        `${file}: could not be run: ${shorten(testExecError.stack ?? testExecError.message)}`,
      );
    }
    return lines;
  });
}

function shorten(message = "") {
  const lines = stripVTControlCharacters(message).split("\n");
  const said = lines.map((line) => line.trim()).filter((line) => line !== "");
  return said.slice(0, shown.lines).join(" | ").slice(0, shown.characters);
}

/** A file that could not be run at all is a failure, although none of its tests is. */
function totals(results) {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = results.numPendingTests + results.numTodoTests;
  const counted = `${results.numPassedTests} passed, ${failed} failed`;
  return skipped === 0 ? counted : `${counted}, ${skipped} skipped`;
}
