import { findInbox } from "../inspect/find-inbox.ts";
import type { Binder } from "../postgres/bind.ts";
import { findFleetFacts } from "../read/find-fleet-facts.ts";
import type { StoreContext } from "../store-context.ts";
import { deleteOldStatistics } from "./delete-old-statistics.ts";
import { findFailures } from "./find-failures.ts";
import { findOverview } from "./find-overview.ts";
import { findStatistics, findStatisticsProgress, findTotals } from "./find-statistics.ts";
import { findInstances, recordInstance } from "./instances.ts";
import { rollUp } from "./roll-up.ts";
import type { StatisticsStore } from "./statistics-store.ts";

export function statisticsOperations(
  { partitions }: StoreContext,
  { repeatable, exactlyOnce }: Binder,
): StatisticsStore {
  const count = exactlyOnce(rollUp);
  return {
    rollUp: () => count({}),
    findStatisticsProgress: () => repeatable(findStatisticsProgress)({}),
    findStatistics: repeatable(findStatistics),
    findTotals: repeatable(findTotals),
    findFailures: repeatable(findFailures),
    findFleetFacts: repeatable(findFleetFacts(partitions)),
    findOverview: () => repeatable(findOverview)({}),
    deleteOldStatistics: repeatable(deleteOldStatistics),
    findInbox: repeatable(findInbox),
    recordInstance: repeatable(recordInstance),
    findInstances: () => repeatable(findInstances)({}),
  };
}
