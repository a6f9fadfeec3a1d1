import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** An Agent or a workflow of which nothing is begun for a while. */
export interface PauseTarget {
  readonly kind: "agent" | "workflow";
  readonly name: string;
}

/** A pause. It is in force until an operator resumes its target. */
export interface Pause extends PauseTarget {
  readonly actor: string;
  readonly reason: string;
  readonly pausedAt: Date;
  readonly resumedAt: Date | null;
  readonly resumedBy: string | null;
  readonly resumeReason: string | null;
}

export interface PauseWish extends PauseTarget {
  /** Who wants it, and why: kept. */
  readonly actor: string;
  readonly reason: string;
}

const insertPause = query("insert-pause", rowsOf<{ id: string }>());
const endPause = query("end-pause", rowsOf<{ id: string }>());

/** Has nothing more be claimed; what is in flight ends by itself. False: it was paused already. */
export const pause = async (db: Database, wish: PauseWish): Promise<boolean> =>
  (await insertPause(db, wish)).length > 0;

/** Has it go on. False: it was not paused. */
export const resume = async (db: Database, wish: PauseWish): Promise<boolean> =>
  (await endPause(db, wish)).length > 0;

export const findPauses = query("find-pauses", rowsOf<Pause>());
