/**
 * What a run of the tests takes. `usual` is `npm test`, `all` is `npm run test:all`, and a number is that tenth of what
 * only `all` has.
 * @typedef {"usual" | "all" | number} Scope
 */

const tenths = 10;

/**
 * The scope of this run, as Jest, its tests and its servers read it.
 * @returns {Scope}
 */
export function readScope() {
  const text = process.env.HOLDFAST_SCOPE ?? "usual";
  return text === "usual" || text === "all" ? text : Number(text);
}

/** The tenth of this day: ten days in a row see all of them. */
export const tenthOfToday = () => Math.floor(Date.now() / 86_400_000) % tenths;

/**
 * Every tenth one of these, from one that differs from tenth to tenth.
 * @template T
 * @param {readonly T[]} all
 * @param {number} tenth
 */
export const tenthOf = (all, tenth) => all.filter((_, index) => index % tenths === tenth);

/**
 * The test files that `npm test` leaves to `npm run test:all`: each takes a minute or more, and what it looks at as a
 * whole has quicker tests of its parts. A tenth has those at its place.
 */
export const onlyInAll = [
  "tests/outside/src/outside.system.test.ts",
  "tests/browser/src/console.browser.test.ts",
  "tests/chaos/src/smoke.system.test.ts",
  "tests/faults/crash-with-slow-partners.system.test.ts",
];

/** The test files that take their part of the work from the scope. */
const measuredByScope = ["tests/simulation/src/main.integration.test.ts"];

/**
 * Whether a test file runs, where none was asked for by its name.
 * @param {Scope} scope
 * @param {string} file from the root
 */
export function isInScope(scope, file) {
  if (scope === "all") return true;
  if (scope === "usual") return !onlyInAll.includes(file);
  return tenthOf(onlyInAll, scope).includes(file) || measuredByScope.includes(file);
}
