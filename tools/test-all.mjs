import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./root.mjs";
import { run } from "./run.mjs";
import { tenthOfToday } from "./scope.mjs";
import { test } from "./test.mjs";

const usage = "npm run test:all [-- --tenth today|0…9]";

/**
 * Runs everything: what `npm test` runs, and what that leaves out. With `--tenth` only a tenth of what it leaves out,
 * such as the one of this day.
 * @param {readonly string[]} args
 */
export async function testAll(args) {
  const { values } = parseArgs({ args: [...args], options: { tenth: { type: "string" } } });
  const scope = scopeOf(values.tenth);
  if (scope !== "all")
    process.stdout.write(`tenth ${scope} of 0 to 9 of what only npm run test:all has\n`);
  const tests = await test([], scope);
  const removals = await proveRemovals(scope);
  return tests === 0 ? removals : tests;
}

/** @param {string | undefined} tenth */
function scopeOf(tenth) {
  if (tenth === undefined) return "all";
  if (tenth === "today") return tenthOfToday();
  if (!/^[0-9]$/.test(tenth)) throw new Error(`Say which tenth: ${usage}`);
  return Number(tenth);
}

/**
 * Takes features of the pattern out of a copy, and sees that their tests fail.
 * @param {import("./scope.mjs").Scope} scope
 */
function proveRemovals(scope) {
  const part = typeof scope === "number" ? ["--tenth", String(scope)] : [];
  const main = join(root, "tests/pattern/src/main.ts");
  return run(process.execPath, ["--conditions=@holdfast/source", main, "--prove", ...part]);
}
