import {
  audienceOf,
  type Milliseconds,
  remindAfterOf,
  type Step,
  signalOf,
} from "@holdfast/domain";
import { columns, type Database, query } from "../postgres/query.ts";

const insert = query("insert-waits");
const move = query("move-waits");
const remove = query("delete-waits");

/** What a step waits for. */
export interface WaitRow {
  readonly taskId: string;
  readonly step: string;
  readonly kind: string;
  /** The name of the signals that end it; null: none does. */
  readonly signal: string | null;
  /** The audience that decides it; null: it is for no one to decide. */
  readonly audience: string | null;
  readonly deadline: number | null;
  /** The time after which its audience is reminded; null: never. */
  readonly remindAfter: Milliseconds | null;
}

/** The waits that a transaction begins, moves on and ends. */
export interface SavedWaits {
  readonly begun: readonly WaitRow[];
  /** Waits whose deadline changes, or whose task goes on. */
  readonly moved: readonly WaitRow[];
  readonly ended: readonly Pick<WaitRow, "taskId" | "step">[];
}

const of = { taskIds: "taskId", steps: "step" } as const;
const times = { deadlines: "deadline", remindAfters: "remindAfter" } as const;

/**
 * Sends, without waiting, what writes waits: in the transaction that moves their steps, and in
 * statements of their own, so that what does not wait pays nothing.
 */
export const saveWaits = (
  db: Database,
  { begun, moved, ended }: SavedWaits,
): readonly Promise<unknown>[] => [
  ...(ended.length === 0 ? [] : [remove(db, columns(ended, of))]),
  ...(moved.length === 0 ? [] : [move(db, columns(moved, { ...of, ...times }))]),
  ...beginWaits(db, begun),
];

/** Sends, without waiting, what writes down what steps wait for that begin to. */
export const beginWaits = (db: Database, begun: readonly WaitRow[]): readonly Promise<unknown>[] =>
  begun.length === 0
    ? []
    : [
        insert(
          db,
          columns(begun, {
            ...of,
            ...times,
            kinds: "kind",
            signals: "signal",
            audiences: "audience",
          }),
        ),
      ];

/** What a step waits for, as a row; none: it does not wait. */
export const waitRow = (taskId: string, step: Step): readonly WaitRow[] =>
  step.processState === "awaiting"
    ? [
        {
          taskId,
          step: step.plan.name,
          kind: step.plan.kind,
          signal: signalOf(step.plan),
          audience: audienceOf(step.plan),
          deadline: step.notBefore,
          remindAfter: remindAfterOf(step.plan),
        },
      ]
    : [];
