import type { ActivePartitions } from "../postgres/active-partitions.ts";
import { type Database, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** How many steps of an Agent, called `lane` here, are in flight, and how many of them one Scheduler has claimed. */
export interface StepsInFlight {
  readonly lane: string;
  readonly inFlight: number;
  readonly own: number;
  readonly urgent: number;
}

const count = queryAmong("count-steps-in-flight", rowsOf<StepsInFlight>());

export const countStepsInFlight =
  (partitions: ActivePartitions) =>
  (db: Database, params: { readonly lockedBy: string }): Promise<StepsInFlight[]> =>
    count(db, partitions.range(), params);
