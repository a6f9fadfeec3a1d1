import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./root.mjs";
import { run } from "./run.mjs";
import { scopeOf } from "./scope.mjs";
import { test } from "./test.mjs";

/**
 * Runs everything: what `npm test` runs, and what that leaves out. With `--tenth` only a tenth of
 * what it leaves out, such as the one of this day.
 * @param {readonly string[]} args
 */
export async function testAll(args) {
  const { values } = parseArgs({ args: [...args], options: { tenth: { type: "string" } } });
  const scope = chosenScope(values.tenth);
  if (scope.kind === "tenth") {
    process.stdout.write(`tenth ${scope.tenth} of 0 to 9 of what only npm run test:all has\n`);
  }
  const removals = await proveRemovals(scope);
  const tests = await test([], scope);
  return tests === 0 ? removals : tests;
}

/** @param {string | undefined} tenth */
function chosenScope(tenth) {
  if (tenth === undefined) return scopeOf("all");
  if (tenth === "today") return scopeOf("tenth");
  if (/^[0-9]$/.test(tenth)) return scopeOf("tenth", Number(tenth));
  throw new Error("Say which tenth: npm run test:all -- --tenth today, or a number from 0 to 9.");
}

/**
 * Takes features of the pattern out of a copy, and sees that their tests fail.
 * @param {import("./scope.mjs").Scope} scope
 */
function proveRemovals({ kind, tenth }) {
  const part = kind === "tenth" ? ["--tenth", String(tenth)] : [];
  const main = join(root, "tests/pattern/src/main.ts");
  return run(process.execPath, ["--conditions=@holdfast/source", main, "--prove", ...part]);
}
