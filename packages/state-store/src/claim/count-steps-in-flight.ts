import { repeatable } from "../postgres/operation.ts";
import { queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** How many steps of an Agent, called `lane` here, are in flight, and how many of them one Scheduler has claimed. */
export interface StepsInFlight {
  readonly lane: string;
  readonly inFlight: number;
  readonly own: number;
  readonly urgent: number;
}

const count = queryAmong("count-steps-in-flight", rowsOf<StepsInFlight>());

/** Counts the steps in flight of each Agent that has some; `own` are those of `lockedBy`. */
export const countStepsInFlight = repeatable(
  (db, params: { readonly lockedBy: string }, { partitions }): Promise<readonly StepsInFlight[]> =>
    count(db, partitions.range(), params),
);
