/** @type {import("jest").Config} */
const shared = {
  transform: {
    "\\.ts$": ["@swc/jest", { jsc: { target: "es2024", parser: { syntax: "typescript" } } }],
  },
  extensionsToTreatAsEsm: [".ts"],
  testEnvironmentOptions: { customExportConditions: ["@holdfast/source", "node"] },
};

export default {
  reporters: ["default", "<rootDir>/tools/totals-reporter.mjs"],
  projects: [
    {
      ...shared,
      displayName: "unit",
      testMatch: ["**/src/**/*.test.ts"],
      testPathIgnorePatterns: ["/node_modules/", "\\.integration\\.test\\.ts$"],
    },
    {
      ...shared,
      displayName: "integration",
      testMatch: ["**/src/**/*.integration.test.ts"],
      testTimeout: 30_000,
    },
    {
      ...shared,
      displayName: "system",
      testMatch: ["**/tests/**/*.system.test.ts"],
      testTimeout: 180_000,
    },
  ],
};
