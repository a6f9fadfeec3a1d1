const prefix = "schedule:";

/** The id of the schedule that submitted a task; null: another one did. */
export const scheduleOf = (submitter: string): string | null =>
  submitter.startsWith(prefix) ? submitter.slice(prefix.length) : null;
