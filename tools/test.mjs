import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./root.mjs";
import { run } from "./run.mjs";

/**
 * Runs the tests with Jest and ends with one plain line that a script can read.
 * @param {readonly string[]} args
 */
export async function test(args) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-totals-"));
  const file = join(folder, "totals");
  try {
    const jest = join(root, "node_modules/jest/bin/jest.js");
    const node = ["--experimental-vm-modules", "--no-warnings"];
    const env = { HOLDFAST_TOTALS: file };
    const code = await run(process.execPath, [...node, jest, ...args], { env });
    process.stdout.write(`${readTotals(file)}\n`);
    return code;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} file */
function readTotals(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "0 passed, 1 failed"; // Jest ended before it could run the tests.
  }
}
