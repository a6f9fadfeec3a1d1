import type { Logger } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { type HousekeepingOptions, housekeeping } from "./housekeeping.ts";

/** A store with nothing but business keys, of which each look sees a batch. */
function keysOf(batches: number, onLook: (looks: number) => void = () => {}) {
  let looks = 0;
  const none = async () => 0;
  const store: HousekeepingOptions["store"] = {
    deleteFreeBusinessKeys: async () => {
      looks += 1;
      onLook(looks);
      return { deleted: 1, isLast: looks % batches === 0 };
    },
    deleteExcessMessages: async () => [],
    deleteExpiredKeys: none,
    deleteFinishedTasks: none,
    deleteOldBulkOperations: none,
    deleteOldMessages: none,
    deleteOldRecords: none,
    deleteOldStatistics: none,
    deletePassedFairnessKeys: none,
    deleteUnclaimedSignals: none,
    dropMonth: async () => false,
    findOldMonths: async () => [],
    findStatisticsProgress: async () => ({ countedAt: null, behind: 0, isDue: false }),
    readClock: async () => null,
    makePartitions: async () => [],
    rollUp: async () => ({ outcome: "counted", events: 0, behind: 0 }),
  };
  const keeping = housekeeping({
    store,
    log: { error: () => {} } as Partial<Logger> as Logger,
    keep: null,
    keepMessages: 1_000,
    interval: 3_600_000,
  });
  return { keeping, looks: () => looks };
}

test("a run of cron looks at every business key, however many batches they are", async () => {
  const { keeping, looks } = keysOf(50);
  await keeping.once(new AbortController().signal);
  expect(looks()).toBe(50);
});

test("a Supervisor looks at ten batches of business keys without resting for an interval", async () => {
  const stopping = new AbortController();
  const { keeping, looks } = keysOf(100, (done) => done === 10 && stopping.abort());
  await keeping.run(stopping.signal);
  expect(looks()).toBe(10);
});
