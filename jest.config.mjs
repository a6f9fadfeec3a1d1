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

/** Jest runs these once for all projects that name them, and only if one of their tests is chosen. */
const stack = {
  globalSetup: "<rootDir>/tests/start-stack.mjs",
  globalTeardown: "<rootDir>/tests/stop-stack.mjs",
};

export default {
  // Of every project: Jest takes no limit from a project. A test that hangs ends here. It proves nothing about speed,
  // so it is far above what any test takes on a machine with much else to do.
  testTimeout: 300_000,
  // Most tests wait most of the time. In workers, so that what a test leaves behind cannot keep the run alive.
  maxWorkers: 2,
  // Node keeps the modules of each test file. After all files a worker had 3.7 GB, and stood still for seconds to look
  // through them; a new one is there within a second.
  workerIdleMemoryLimit: "500MB",
  testSequencer: "<rootDir>/tools/system-tests-first.mjs",
  reporters: ["default", "<rootDir>/tools/totals-reporter.mjs"],
  projects: [
    {
      ...shared,
      displayName: "unit",
      testMatch: ["**/src/**/*.test.ts"],
      testPathIgnorePatterns: ["\\.(integration|system|browser)\\.test\\.ts$"],
    },
    {
      ...shared,
      ...stack,
      displayName: "integration",
      testMatch: ["**/src/**/*.integration.test.ts"],
    },
    {
      ...shared,
      ...stack,
      displayName: "store faults",
      setupFilesAfterEnv: ["<rootDir>/tests/break-store.mjs"],
      testMatch: [
        "<rootDir>/packages/state-store/src/**/*.integration.test.ts",
        "<rootDir>/services/*/src/**/*.integration.test.ts",
      ],
      // They open no state store, or break it themselves, or are of the command and take long, or ask it for something only once, or count
      // what one connection keeps.
      testPathIgnorePatterns: [
        "/(crashes|held-snapshots|plans|statement-types|pgbouncer|connection-faults|outages|store-pressure|migrate|migrations|prepared-statements|refusing-servers|failover|store-outage|upgrade|connections|overload|command|command-tasks|command-bulk|hostile-streams)\\.",
        "/services/agent/",
      ],
    },
    {
      ...shared,
      ...stack,
      displayName: "system",
      testMatch: ["<rootDir>/tests/**/*.system.test.ts"],
    },
    {
      ...shared,
      ...stack,
      displayName: "browser",
      testMatch: ["<rootDir>/tests/browser/src/**/*.browser.test.ts"],
    },
  ],
};
