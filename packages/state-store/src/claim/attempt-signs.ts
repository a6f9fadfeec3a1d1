import type { AttemptOfTask, AttemptSign } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { columns, queryAmong } from "../postgres/query.ts";

/** How far an attempt is, by its handler. */
export interface StepProgress {
  readonly percent?: number;
  readonly note?: string;
}

/** What an Agent says of one attempt. */
export interface AttemptSignOfTask extends AttemptOfTask, AttemptSign {
  /** Who says so. */
  readonly agent: string;
  /** The progress; null: the sign says nothing new. */
  readonly progress: StepProgress | null;
}

const save = queryAmong("save-attempt-signs");

/**
 * Records what Agents say of the attempts that they are at work on, which moves the deadlines of
 * these. Ignores attempts that are over, and wrong tokens. Of one attempt only one sign may count
 * in a statement: the last, with all that was said before.
 */
export const recordAttemptSigns = repeatable(
  async (db, signs: readonly AttemptSignOfTask[], { partitions }): Promise<void> => {
    const byAttempt = new Map<string, AttemptSignOfTask>();
    for (const sign of signs) {
      const key = [sign.taskId, sign.step, sign.attempt, sign.token, sign.agent].join(" ");
      const earlier = byAttempt.get(key);
      const progress = sign.progress ?? earlier?.progress ?? null;
      byAttempt.set(key, { ...sign, progress, beats: sign.beats || earlier?.beats === true });
    }
    const rows = [...byAttempt.values()].map((sign) => ({
      ...sign,
      said: sign.progress === null ? null : JSON.stringify(sign.progress),
    }));
    await save(
      db,
      partitions.monthsOf(rows.map(({ taskId }) => taskId)),
      columns(rows, {
        taskIds: "taskId",
        names: "step",
        attempts: "attempt",
        tokens: "token",
        agents: "agent",
        runningFors: "runningFor",
        beats: "beats",
        progresses: "said",
      }),
    );
  },
);
