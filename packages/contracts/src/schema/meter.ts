/** Counts the steps of one check after another, and ends a check that takes too many. */
export interface Meter {
  /** Begins a check that may take so many steps. */
  begin(most: number): void;
  /** Throws `TooManySteps` if that is more than the check may still take. */
  spend(steps: number): void;
  /** The steps of the check so far. */
  readonly spent: number;
}

/** A check has taken more steps than it may: what it would have said is unknown. */
export class TooManySteps extends Error {
  constructor() {
    super("takes more steps to check than are allowed");
  }
}

export function openMeter(): Meter {
  let spent = 0;
  let allowed = 0;
  return {
    begin(most) {
      spent = 0;
      allowed = most;
    },
    spend(steps) {
      if (spent + steps > allowed) throw new TooManySteps();
      spent += steps;
    },
    get spent() {
      return spent;
    },
  };
}
