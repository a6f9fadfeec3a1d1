import { Fault, SetupFault } from "@holdfast/domain";

/** Deliveries that were handed over together, and failed. */
export interface FailedPart {
  /** How many deliveries. */
  readonly size: number;
  /** How often they were handed over together. */
  readonly failures: number;
  /** Whether others of this consumer were recorded since they first failed. */
  readonly othersSucceeded: boolean;
  /** What fails holds half of the prefetch or more: soon nothing else could be delivered. */
  readonly isCrowded: boolean;
}

/**
 * `deadLetter`: the delivery itself is to blame, so it becomes a dead letter. `single`: each by
 * itself.
 */
export type Remedy = "retry" | "split" | "single" | "deadLetter";

/**
 * Failures after which what fails in passing is split, to find out whether a part of it succeeds.
 */
const splitAfter = 3;
/** Failures after which a lone delivery is to blame, if others succeed meanwhile. */
const deadLetterAfter = 5;
/**
 * Tries of what fails without a fault while nothing else succeeds: a bug, which may depend on the
 * moment.
 */
const triesOfBug = 3;

/**
 * What to do about deliveries that could not be handled. What fails for good is halved until the
 * culprit is alone, or taken apart at once where little room is left for others. What fails in
 * passing, or because the store is not set up right, is halved more slowly, and retried for as long
 * as everything fails: only where others succeed can a delivery be to blame.
 */
export function remedyFor(part: FailedPart, error: unknown): Remedy {
  const { size, failures, othersSucceeded, isCrowded } = part;
  if (isOfSurroundings(error)) {
    if (size > 1) {
      if (failures < splitAfter) return "retry";
      return isCrowded && othersSucceeded ? "single" : "split";
    }
    return failures >= deadLetterAfter && othersSucceeded ? "deadLetter" : "retry";
  }
  if (size > 1) return isCrowded ? "single" : "split";
  const isToBlame = error instanceof Fault || othersSucceeded || isCrowded;
  return isToBlame || failures >= triesOfBug ? "deadLetter" : "retry";
}

/** Whether the store failed, as far as can be seen, and not what it was given. */
export const isOfSurroundings = (error: unknown): boolean =>
  error instanceof SetupFault || (error instanceof Fault && error.transient);
