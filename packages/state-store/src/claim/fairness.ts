import type { DueStep, DueStepOfTask, Milliseconds } from "@holdfast/domain";
import type { ActivePartitions } from "../postgres/active-partitions.ts";
import { columns, type Database, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** A place in the order of all fairness keys with due steps. */
interface Place {
  readonly lane: string;
  readonly band: number;
  readonly key: string;
}

interface Row {
  readonly moved: readonly DueStep[];
  /** The last key that was looked at; null: there is none after it. */
  readonly last: Place | null;
}

const close = queryAmong("close-fairness-gaps", rowsOf<Row>());

const beginning: Place = { lane: "", band: 0, key: "" };
/** Looking at all keys takes at most a fiftieth of the time. */
const delayFactor = 49;

/** Closes the gaps of some keys; resolves to the steps that it moved. */
export type FairnessGaps = (db: Database) => Promise<readonly DueStep[]>;

/**
 * Moves due steps up that stand behind others of their fairness key which left the queue without
 * being served. Resolves to the moved steps with their new ranks; to none as well where the last
 * look is not long enough ago.
 */
export function fairnessGaps(
  { partitions }: { readonly partitions: ActivePartitions },
  clock: () => Milliseconds = () => performance.now(),
): FairnessGaps {
  let after = beginning;
  let nextWakeAt = Number.NEGATIVE_INFINITY;
  return async (db) => {
    const begun = clock();
    if (begun < nextWakeAt) return [];
    const [row] = await close(db, partitions.range(), { ...after });
    const { moved, last } = row!;
    after = last ?? beginning;
    nextWakeAt = clock() + delayFactor * (clock() - begun);
    return moved;
  };
}

const rankSteps = queryAmong("rank-fair-steps", rowsOf<DueStep>());

/**
 * Ranks due steps of tasks with a fairness key; those that are not due, or are locked, are left
 * out.
 */
export const rankFairSteps =
  ({ partitions }: { readonly partitions: ActivePartitions }) =>
  (db: Database, steps: readonly Pick<DueStepOfTask, "taskId" | "name">[]): Promise<DueStep[]> =>
    rankSteps(db, partitions.range(), columns(steps, { taskIds: "taskId", names: "name" }));
