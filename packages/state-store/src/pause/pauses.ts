import { resumeRepaired } from "../apply/park-tasks.ts";
import { composed, exactlyOnce, repeatable } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { withRetries } from "../postgres/transaction.ts";

/** An Agent or a workflow of which nothing is begun for a while. */
export interface PauseTarget {
  readonly kind: "agent" | "workflow";
  readonly name: string;
}

/** A pause. It is in force until an operator resumes its target. */
export interface Pause extends PauseTarget {
  readonly id: string;
  readonly actor: string;
  readonly reason: string;
  readonly pausedAt: Date;
  readonly resumedAt: Date | null;
  readonly resumedBy: string | null;
  readonly resumeReason: string | null;
}

export interface PauseRequest extends PauseTarget {
  /** Who wants it, and why: kept. */
  readonly actor: string;
  readonly reason: string;
}

const insertPause = query("insert-pause", rowsOf<{ id: string }>());
const endPause = query("end-pause", rowsOf<{ id: string }>());

const selectPauses = query("find-pauses", rowsOf<Pause>());

/**
 * Stops claims of an Agent or a workflow; what is in flight ends by itself. False: it was paused
 * already.
 */
export const pause = exactlyOnce(
  async (db, request: PauseRequest): Promise<boolean> =>
    (await insertPause(db, request)).length > 0,
);

/** Ends a pause. False: it was not paused. */
export const resume = exactlyOnce(
  async (db, request: PauseRequest): Promise<boolean> => (await endPause(db, request)).length > 0,
);

/** Which pauses are asked for: those before one of them, or null: the latest. */
export interface PausesQuery {
  readonly before: string | null;
  readonly most: number;
}

/** A page of the pauses, the latest first. */
export const findPauses = repeatable(
  (db, asked: PausesQuery): Promise<readonly Pause[]> => selectPauses(db, asked),
);

const parkSteps = query("set-paused-steps-aside", rowsOf<{ steps: number }>());
const releaseSteps = query("release-resumed-steps", rowsOf<{ steps: number }>());

const park = exactlyOnce((db) => parkSteps(db, {}));
const release = exactlyOnce((db) => releaseSteps(db, {}));

/**
 * Parks a batch of steps of paused workflows and releases a batch of resumed ones; returns how many
 * moved. Call it until it returns 0.
 */
export const applyPauses = composed(async (context): Promise<number> => {
  await withRetries(() => resumeRepaired(context.pool));
  const [[parked], [released]] = await Promise.all([park(context)(), release(context)()]);
  return (parked?.steps ?? 0) + (released?.steps ?? 0);
});
