import type { Milliseconds } from "@holdfast/domain";
import type { SeenInbox } from "../inspect/find-inbox.ts";
import type { FleetFacts } from "../read/find-fleet-facts.ts";
import type { FailurePage, FailureWish } from "./find-failures.ts";
import type { OverviewFacts } from "./find-overview.ts";
import type {
  Statistics,
  StatisticsProgress,
  StatisticsWish,
  SubjectTotals,
  TotalsWish,
} from "./find-statistics.ts";
import type { Instance, SeenInstance } from "./instances.ts";
import type { RolledUp } from "./roll-up.ts";

/** Counts over time, groups of failures, and the processes that there are. A part of `StateStore`. */
export interface StatisticsStore {
  /** Counts the next entries of the history, each exactly once; one Supervisor at a time. */
  rollUp(): Promise<RolledUp>;
  /** How far the history is counted. Safe to repeat. */
  findStatisticsProgress(): Promise<StatisticsProgress>;
  /** Counts in spans of equal width, 400 at most whatever the range. Safe to repeat. */
  findStatistics(wish: StatisticsWish): Promise<Statistics>;
  /** The sums of a range for each workflow or Agent, 200 at most. Safe to repeat. */
  findTotals(wish: TotalsWish): Promise<readonly SubjectTotals[]>;
  /** Groups of failures, the latest first. It reads a bounded number of rows. Safe to repeat. */
  findFailures(wish: FailureWish): Promise<FailurePage>;
  /** What an operator looks at first. It reads a bounded number of rows. Safe to repeat. */
  findOverview(): Promise<OverviewFacts>;
  /** What metrics say of all instances together. It reads a bounded number of rows. Safe to repeat. */
  findFleetFacts(params: { readonly lanes: readonly string[] }): Promise<FleetFacts>;
  /** Deletes batches of counts and failures that are past their time; returns how many rows. Safe to repeat. */
  deleteOldStatistics(params: { readonly batch: number }): Promise<number>;
  /** Notes that a process is there. Safe to repeat. */
  recordInstance(instance: Instance): Promise<void>;
  /** What waits in the inbox, and what was refused in the last so many milliseconds. Safe to repeat. */
  findInbox(wish: { readonly within: Milliseconds }): Promise<SeenInbox>;
  /** The processes of the last day, those seen last first. Safe to repeat. */
  findInstances(): Promise<readonly SeenInstance[]>;
}
