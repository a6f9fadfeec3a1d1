/** How urgent a task is, as its submitter says. */
export const priorities = ["urgent", "normal", "batch"] as const;
export type Priority = (typeof priorities)[number];

/**
 * The bands of the due order, first to last. No step is claimed while one of a band before is due
 * in its lane.
 */
export const bands = ["undo", ...priorities] as const;

/** The place of a band among `bands`: the state store sorts by it. */
export type Band = number;

export const bandOf = (name: (typeof bands)[number]): Band => bands.indexOf(name);

export const isPriority = (value: unknown): value is Priority =>
  priorities.some((priority) => priority === value);

/** What of a task decides the order of its steps. */
export interface Urgency {
  readonly priority: Priority;
  /** The fairness key; null: its steps are claimed in the order in which they become due. */
  readonly fairnessKey: string | null;
}
