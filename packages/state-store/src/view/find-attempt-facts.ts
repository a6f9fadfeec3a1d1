import type { Json, Milliseconds, StepState } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** A move of a step. */
export interface StepMove {
  readonly step: string;
  readonly action: string;
  readonly fromState: StepState | null;
  readonly toState: StepState;
  readonly attempt: number | null;
  readonly actor: string;
  readonly reason: string | null;
  readonly at: Date;
}

/** A reply that came too late, twice, or about an attempt that is over: it changed nothing. */
export interface LateReply {
  readonly step: string | null;
  readonly attempt: number | null;
  readonly reason: string;
  readonly sender: string | null;
  readonly at: Date;
}

/** How long an attempt of a step may take, and what an operator gave it. */
export interface StepLimits {
  readonly name: string;
  readonly startWithin: Milliseconds;
  readonly completeWithin: Milliseconds;
  /** The input; null: it follows from the definition. */
  readonly input: Json;
}

/** What the attempts of a task are made of, newest first. */
export interface AttemptFacts {
  readonly moves: readonly StepMove[];
  readonly lateReplies: readonly LateReply[];
  readonly limits: readonly StepLimits[];
}

const findMoves = query("find-recent-moves", rowsOf<StepMove, "step">());
const findLateReplies = query("find-late-replies", rowsOf<LateReply>());
const findLimits = query("find-step-limits", rowsOf<StepLimits>());

export interface AttemptFactsQuery {
  readonly taskId: string;
  /** Moves, and late replies. */
  readonly most: number;
  /**
   * The most bytes of the inputs that operators gave: they are left out if they have more together.
   */
  readonly mostBytes: number;
}

/** The latest moves of a task's steps and the replies that were refused, at most `most` of each. */
export const findAttemptFacts = repeatable(
  async (db, asked: AttemptFactsQuery): Promise<AttemptFacts> => ({
    moves: await findMoves(db, asked),
    lateReplies: await findLateReplies(db, asked),
    limits: await findLimits(db, asked),
  }),
);
