/**
 * What a run of the tests takes. `usual` is `npm test`, `all` is `npm run test:all`, and `tenth` is
 * a tenth of what only `all` has.
 * @typedef {{ readonly kind: "usual" | "all" | "tenth", readonly tenth: number }} Scope
 */

const tenths = 10;

/** The tenth of this day: ten days in a row see all of them. */
const tenthOfToday = () => Math.floor(Date.now() / 86_400_000) % tenths;

/**
 * A scope, of this day where no tenth is named.
 * @param {Scope["kind"]} kind
 * @returns {Scope}
 */
export const scopeOf = (kind, tenth = tenthOfToday()) => ({ kind, tenth });

/**
 * The variables by which Jest, its tests and its servers know the scope.
 * @param {Scope} scope
 */
export const scopeVariables = ({ kind, tenth }) => ({
  HOLDFAST_SCOPE: kind,
  HOLDFAST_TENTH: String(tenth),
});

/** The scope of this run. */
export function readScope() {
  const { HOLDFAST_SCOPE: kind = "usual", HOLDFAST_TENTH: tenth } = process.env;
  return scopeOf(kind, tenth === undefined ? undefined : Number(tenth));
}

/**
 * Every tenth one of these, from one that differs from tenth to tenth.
 * @template T
 * @param {readonly T[]} all
 * @param {number} tenth
 */
export const tenthOf = (all, tenth) => all.filter((_, index) => index % tenths === tenth);

/**
 * The test files that `npm test` leaves to `npm run test:all`: they take long, or need servers or
 * languages of their own, and what they look at as a whole has quicker tests of its parts. A tenth
 * has those at its place.
 */
const onlyInAll = [
  "tests/outside/src/outside.system.test.ts",
  "tests/outside/src/air-gapped.system.test.ts",
  "tests/browser/src/console.browser.test.ts",
  "tests/chaos/src/smoke.system.test.ts",
  "tests/faults/crash-with-slow-partners.system.test.ts",
  "tests/languages/languages.system.test.ts",
  "tests/readme/example.system.test.ts",
  "packages/messaging/src/cluster.integration.test.ts",
  "packages/state-store/src/postgres/failover.integration.test.ts",
  "tests/faults/pooler.system.test.ts",
  "tests/faults/memory.system.test.ts",
  "benchmarks/src/migrate/migrate-under-load.integration.test.ts",
  "tests/faults/clock-jumps.system.test.ts",
  "tests/faults/large-messages.system.test.ts",
  "tests/fuzz/src/fuzz.system.test.ts",
  "tests/faults/contracts.system.test.ts",
  "tests/faults/doctor.system.test.ts",
  "tests/faults/traces.system.test.ts",
  "tests/faults/contention.system.test.ts",
  "tests/faults/verify.system.test.ts",
  "tests/fuzz/src/send/volleys.system.test.ts",
  "tests/faults/one-process.system.test.ts",
  "tests/faults/full-disk.system.test.ts",
  "packages/local-stack/src/start-local-stack.integration.test.ts",
  "tests/infra/src/api-server.integration.test.ts",
  "tests/infra/src/keda.integration.test.ts",
  "tests/upgrade/src/smoke.system.test.ts",
];

/**
 * Test files that do more in `npm run test:all`. A tenth has those at its place, behind the others.
 */
const moreInAll = [
  "packages/state-store/src/statistics/roll-up.integration.test.ts",
  "tests/simulation/src/memory-store.integration.test.ts",
];

/** Tests that take their part of the work from the scope, so that each tenth has a tenth of it. */
const divided = [
  "tests/simulation/src/main.integration.test.ts",
  "tests/fuzz/src/measure-schemas.test.ts",
  "packages/contracts/src/flow/value-flow.property.test.ts",
];

/**
 * Whether a test file runs, where none was asked for by its name.
 * @param {Scope} scope
 * @param {string} file from the root
 */
export function isInScope({ kind, tenth }, file) {
  if (kind === "all") return true;
  if (kind === "usual") return !onlyInAll.includes(file);
  return tenthOf([...onlyInAll, ...moreInAll], tenth).includes(file) || divided.includes(file);
}
