import type { Evidence, FaultEvent, LedgerEntry, Moment, StepRow, StoreEvent } from "./evidence.ts";

/** The evidence, sorted by order. */
export interface IndexedEvidence extends Evidence {
  readonly stepsOf: ReadonlyMap<string, readonly StepRow[]>;
  /** Oldest first. */
  readonly eventsOf: ReadonlyMap<string, readonly StoreEvent[]>;
  /** Entries of each order, in the order in which they happened. */
  readonly ledgerOf: ReadonlyMap<string, readonly LedgerEntry[]>;
}

export function indexEvidence(evidence: Evidence): IndexedEvidence {
  const bySeq = evidence.ledger.toSorted((one, other) => one.seq - other.seq);
  return {
    ...evidence,
    stepsOf: Map.groupBy(evidence.steps, ({ taskId }) => taskId),
    eventsOf: Map.groupBy(
      evidence.events.toSorted((one, other) => one.id - other.id),
      ({ taskId }) => taskId,
    ),
    ledgerOf: Map.groupBy(bySeq, ({ key }) => taskOfKey(key)),
  };
}

/** Idempotency keys are `<task>:<step>:do`. */
const taskOfKey = (key: string): string => key.split(":")[0] ?? "";
export const stepOfKey = (key: string): string => key.split(":")[1] ?? "";

/** Whether anything was broken at that moment, or had been healed less than `grace` ms before. */
export const isDisturbed = (
  faults: readonly FaultEvent[],
  at: Moment,
  { grace }: { readonly grace: number },
): boolean => faults.some(({ from, healedAt }) => from <= at && at <= healedAt + grace);
