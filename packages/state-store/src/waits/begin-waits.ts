import type { Step } from "@holdfast/domain";
import { columns, type Database, query } from "../postgres/query.ts";

const insert = query("insert-waits");

/** What a step waits for. */
export interface WaitRow {
  readonly taskId: string;
  readonly step: string;
  readonly kind: string;
  readonly deadline: number | null;
}

/** What a step waits for, as a row; none: it does not wait. */
export const newWaitRow = (taskId: string, step: Step): readonly WaitRow[] =>
  step.processState === "awaiting"
    ? [{ taskId, step: step.plan.name, kind: step.plan.kind, deadline: step.notBefore }]
    : [];

/** Sends, without waiting, what writes down what steps wait for that begin to. */
export const beginWaits = (db: Database, begun: readonly WaitRow[]): readonly Promise<unknown>[] =>
  begun.length === 0
    ? []
    : [
        insert(
          db,
          columns(begun, {
            taskIds: "taskId",
            steps: "step",
            kinds: "kind",
            deadlines: "deadline",
          }),
        ),
      ];
