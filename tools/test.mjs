import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./root.mjs";
import { run } from "./run.mjs";

const compileCache = join(root, ".holdfast/compile-cache");
/** Milliseconds in which some test file must end. The longest, which begin first, take eight minutes. */
const patience = 15 * 60_000;

/**
 * Runs the tests with Jest and ends with one plain line that a script can read.
 * @param {readonly string[]} args
 */
export async function test(args) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-totals-"));
  const file = join(folder, "progress");
  const standstill = new AbortController();
  const watch = setInterval(() => {
    if (Date.now() - lastProgress(file) > patience) standstill.abort();
  }, 1_000);
  try {
    await compileServices();
    const jest = join(root, "node_modules/jest/bin/jest.js");
    const node = ["--conditions=@holdfast/source", "--experimental-vm-modules", "--no-warnings"];
    // Tests start many processes from sources: the second of a kind needs a quarter of the time to load them.
    const env = {
      HOLDFAST_PROGRESS: file,
      NODE_COMPILE_CACHE: compileCache,
      HOLDFAST_COMPILED: "yes",
    };
    const { signal } = standstill;
    const code = await run(process.execPath, [...node, jest, ...args], { env, signal });
    if (signal.aborted) sayWhatRuns(file);
    const { totals = "0 passed, 1 failed", failures = [] } = readProgress(file);
    for (const failure of failures) process.stdout.write(`failed: ${failure}\n`);
    process.stdout.write(`${totals}\n`);
    return code;
  } finally {
    clearInterval(watch);
    rmSync(folder, { recursive: true });
  }
}

/** Tests start the services as they are shipped. In a process of its own, which Jest does not inherit. */
async function compileServices() {
  const code = await run(process.execPath, [join(root, "tools/bundle.mjs")]);
  if (code !== 0) throw new Error("The services could not be compiled: see above.");
}

/**
 * Jest's own limit is for tests: code that never yields, and a file that waits while it is loaded, have none.
 * @param {string} file
 */
function sayWhatRuns(file) {
  const files = readProgress(file).running.join(", ");
  process.stdout.write(
    `\nEnded: no test file ended for ${patience / 60_000} minutes in ${files}\n`,
  );
}

/** @param {string} file */
const lastProgress = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;

/**
 * @param {string} file
 * @returns {{ readonly running: readonly string[], readonly totals?: string, readonly failures?: readonly string[] }}
 */
function readProgress(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return { running: [] }; // Jest ended before it could run the tests.
  }
}
