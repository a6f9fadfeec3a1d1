import type { UpgradeReport } from "./upgrade-report.ts";

/** A run in which all held, for tests. */
export const goodReport: UpgradeReport = {
  from: "1234abcd",
  to: "5678ef01",
  seed: 7,
  seconds: 600,
  migrations: [],
  stopped: false,
  refusals: [],
  phases: [
    {
      name: "before",
      what: "everything of 1234abcd",
      seconds: 75,
      killsBefore: 18,
      killsHere: 0,
      orders: 900,
      longestPauseMs: 1_234,
    },
  ],
  kills: 150,
  crashed: 0,
  orders: { http: 5_250, message: 750, sql: 1_200 },
  processed: 4_800,
  undone: 2_400,
  halted: 0,
  open: 0,
  refused: 0,
  lost: 0,
  doubled: 0,
  deadLetters: 0,
  violations: 0,
  carriedOver: 120,
  carriedBack: 80,
  ofKeptWorkflow: 300,
  witnesses: [],
};
