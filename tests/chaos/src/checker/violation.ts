/** The invariants that a run is judged by. */
export const invariants = {
  I1: "every accepted order is in the store",
  I2: "every order in the store was submitted, once",
  I3: "every order ends, and stays ended",
  I4: "what a processed order asked for happened exactly once",
  I5: "of an undone order nothing is left",
  I6: "each attempt has one owner",
  I7: "attempts only rise",
  I8: "every move is legal and follows from the one before",
  I9: "failures are counted truly, and never beyond the threshold",
  I10: "what is undone is undone once, last things first, and stays undone",
  I11: "only the latest attempt moves its step",
  I12: "steps happen in their order",
  I13: "what is reported is true",
  I14: "nothing is left in a queue, and every dead letter is accounted for",
  I15: "what is overdue is recovered in time",
  I16: "nothing leaks and nothing hangs",
  I17: "only its own Agent moves a step",
  I18: "every halt has exactly one alert",
} as const;
export type Invariant = keyof typeof invariants;

/** Something that must not be, and where. */
export interface Violation {
  readonly invariant: Invariant;
  /** The order; null: it is about no single one. */
  readonly taskId: string | null;
  readonly what: string;
}
