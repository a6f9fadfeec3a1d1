import { globSync } from "node:fs";
import { isInScope, readScope, tenthOf } from "./tools/scope.mjs";

const scope = readScope();
/** Whether files are named on the command line: those run whatever the scope is. */
const areNamed = process.env.HOLDFAST_NAMED === "yes";

/** @type {import("jest").Config} */
const shared = {
  transform: {
    "\\.ts$": ["@swc/jest", { jsc: { target: "es2024", parser: { syntax: "typescript" } } }],
    "\\.tsx$": [
      "@swc/jest",
      {
        jsc: {
          target: "es2024",
          parser: { syntax: "typescript", tsx: true },
          transform: { react: { runtime: "automatic" } },
        },
      },
    ],
  },
  extensionsToTreatAsEsm: [".ts", ".tsx"],
  testEnvironmentOptions: { customExportConditions: ["@holdfast/source", "node"] },
  modulePathIgnorePatterns: ["<rootDir>/.holdfast/"],
};

/**
 * Jest runs these once for all projects that name them, and only if one of their tests is chosen.
 */
const stack = {
  globalSetup: "<rootDir>/tests/start-stack.mjs",
  globalTeardown: "<rootDir>/tests/stop-stack.mjs",
};

/** The test files with this ending, from the root. */
const filesWith = (ending) =>
  globSync(`{{packages,services,examples/orders,tests,tools}/*,benchmarks}/{*,src/**/*}${ending}`, {
    cwd: import.meta.dirname,
  }).toSorted();

/**
 * Integration tests with a store that breaks at two statements of a hundred. The others open no
 * state store, or break it themselves, or are of the command and take long, or ask it for something
 * only once, or count what one connection keeps.
 */
const withoutFaults =
  /\/(crashes|list-text|held-snapshots|plans|statement-types|pgbouncer|connection-faults|outages|store-pressure|logins|migrate|migrations|prepared-statements|refusing-servers|failover|store-outage|upgrade|connections|overload|first-load|open-console|serve-console|command|command-tasks|command-bulk|hostile-streams|roles|certificates|request-ids)\./;
const breaksStore = (file) =>
  /^(packages\/state-store|services\/(?!agent\/)[^/]+)\/src\//.test(file) &&
  !withoutFaults.test(file);

const integration = filesWith(".integration.test.ts");
const faulty = integration.filter(breaksStore);
/** The second pass: the same tests on a store that does not break. */
const secondPass = {
  usual: [],
  tenth: tenthOf(faulty, scope.tenth),
  all: faulty,
};

/** Jest takes patterns, and none matches nothing. */
const only = (files) =>
  files.length === 0 ? ["<rootDir>/no-such-file"] : files.map((file) => `<rootDir>/${file}`);
const inScope = (files) => only(areNamed ? files : files.filter((file) => isInScope(scope, file)));

export default {
  // Of every project: Jest takes no limit from a project. A test that hangs ends here. It proves
  // nothing about speed, so it is far above what any test takes on a machine with much else to do.
  testTimeout: 300_000,
  // Most tests wait most of the time. In workers, so that what a test leaves behind cannot keep the
  // run alive.
  maxWorkers: 4,
  // Node keeps the modules of each test file. After all files a worker had 3.7 GB, and stood still
  // for seconds to look through them. A new one takes two seconds of a processor, so it comes every
  // 30 files or so.
  workerIdleMemoryLimit: "1GB",
  testSequencer: "<rootDir>/tools/system-tests-first.mjs",
  reporters: ["default", "<rootDir>/tools/totals-reporter.mjs"],
  projects: [
    {
      ...shared,
      displayName: "unit",
      testMatch: inScope(
        filesWith(".test.ts").filter(
          (file) => !/\.(integration|system|browser)\.test\.ts$/.test(file),
        ),
      ),
    },
    {
      ...shared,
      ...stack,
      displayName: "integration",
      testMatch: inScope(integration.filter((file) => !breaksStore(file))),
    },
    {
      ...shared,
      ...stack,
      displayName: "store faults",
      setupFilesAfterEnv: ["<rootDir>/tests/break-store.mjs"],
      testMatch: inScope(faulty),
    },
    {
      ...shared,
      ...stack,
      displayName: "second pass",
      testMatch: only(secondPass[scope.kind]),
    },
    {
      ...shared,
      ...stack,
      displayName: "system",
      testEnvironment: "<rootDir>/tests/system-environment.mjs",
      testMatch: inScope(filesWith(".system.test.ts")),
    },
    {
      ...shared,
      ...stack,
      displayName: "browser",
      testMatch: inScope(filesWith(".browser.test.ts")),
    },
  ],
};
