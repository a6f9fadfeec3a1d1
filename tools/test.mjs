import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./root.mjs";
import { run } from "./run.mjs";
import { scopeOf, scopeVariables } from "./scope.mjs";

const compileCache = join(root, ".holdfast/compile-cache");
/**
 * Milliseconds in which some test file must end. The longest, which begin first, take eight
 * minutes.
 */
const timeout = 15 * 60_000;

/**
 * Runs the tests of a scope with Jest and ends with one plain line that a script can read.
 * @param {readonly string[]} args
 * @param {import("./scope.mjs").Scope} [scope]
 */
export async function test(args, scope = scopeOf("usual")) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-totals-"));
  const file = join(folder, "progress");
  const stalled = new AbortController();
  const watch = setInterval(() => {
    if (Date.now() - lastProgress(file) > timeout) stalled.abort();
  }, 1_000);
  try {
    const jest = join(root, "node_modules/jest/bin/jest.js");
    const node = ["--conditions=@holdfast/source", "--experimental-vm-modules", "--no-warnings"];
    // Tests start many processes from sources: the second of a kind needs a quarter of the time to
    // load them.
    const env = {
      HOLDFAST_PROGRESS: file,
      ...scopeVariables(scope),
      ...namedIn(args),
      NODE_COMPILE_CACHE: compileCache,
    };
    const { signal } = stalled;
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

/**
 * Whether Jest is to run certain files, and not all of the scope.
 * @param {string} arg
 */
const isFile = (arg) => !arg.startsWith("-") && (arg.includes("/") || arg.endsWith(".ts"));

/**
 * Packages of which no test starts a service or the command as a process: nothing need be compiled
 * for them.
 */
const inProcess = /^packages\/(?!(?:cli|dev|create-holdfast)\/)/;

/**
 * What the tests are to know of the files that are named; nothing where none are.
 * @param {readonly string[]} args
 */
function namedIn(args) {
  const files = args.filter(isFile);
  if (files.length === 0) return {};
  const compiles = !files.every((file) => inProcess.test(file));
  return { HOLDFAST_NAMED: "yes", ...(compiles ? {} : { HOLDFAST_COMPILED: "no" }) };
}

/**
 * Jest's own limit is for tests: code that never yields, and a file that waits while it is loaded,
 * have none.
 * @param {string} file
 */
function sayWhatRuns(file) {
  const files = readProgress(file).running.join(", ");
  process.stdout.write(`\nEnded: no test file ended for ${timeout / 60_000} minutes in ${files}\n`);
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
