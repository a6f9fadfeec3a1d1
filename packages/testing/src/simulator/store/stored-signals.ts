import type { Instant } from "@holdfast/domain";
import type { HeldSignal, StoredSignal } from "@holdfast/state-store";

/** What a business key stands for. */
export type BusinessKey = Pick<HeldSignal, "tenant" | "family" | "key">;

/** A signal that waits for its task. */
export interface MailboxRow extends HeldSignal {
  readonly at: Instant;
}

/** The signals of a name that a step of the task may take, the oldest first. */
export const untakenOf = (
  { signals }: { readonly signals: readonly StoredSignal[] },
  name: string,
): readonly StoredSignal[] =>
  signals.filter((one) => one.name === name && one.takenBy === null && !one.isLate);
