import type { Binder } from "../postgres/bind.ts";
import type { StoreContext } from "../store-context.ts";
import {
  deleteExcessMessages,
  deleteExpiredKeys,
  deleteFinishedTasks,
  deleteFreeBusinessKeys,
  deleteOldBulkOperations,
  deleteOldMessages,
  deleteOldRecords,
  deletePassedFairnessKeys,
  dropMonth,
  findOldMonths,
  lookAtClock,
  makePartitions,
} from "./retention.ts";

/** What keeps the store from growing with its past, over its connections. */
export const retentionOperations = (
  { partitions }: StoreContext,
  { repeatable, exactlyOnce }: Binder,
) => ({
  makePartitions: () => repeatable(makePartitions)({}),
  findOldMonths: repeatable(findOldMonths),
  deleteFinishedTasks: repeatable(deleteFinishedTasks),
  dropMonth: repeatable(dropMonth),
  deleteExpiredKeys: exactlyOnce(deleteExpiredKeys),
  deleteFreeBusinessKeys: repeatable(deleteFreeBusinessKeys),
  deletePassedFairnessKeys: repeatable(deletePassedFairnessKeys(partitions)),
  deleteOldRecords: exactlyOnce(deleteOldRecords),
  deleteOldBulkOperations: exactlyOnce(deleteOldBulkOperations),
  deleteOldMessages: exactlyOnce(deleteOldMessages),
  deleteExcessMessages: exactlyOnce(deleteExcessMessages),
  lookAtClock: () => repeatable(lookAtClock)({}),
});
