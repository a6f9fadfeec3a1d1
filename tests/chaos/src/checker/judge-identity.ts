import type { LedgerEntry, StepRow } from "./evidence.ts";
import type { IndexedEvidence } from "./indexed-evidence.ts";
import type { Violation } from "./violation.ts";

/**
 * I17: what a step returned is what its own partner's ledger says that it answered. A reply of
 * somebody else, had it been applied, would have left what it says.
 */
export function judgeIdentity(book: IndexedEvidence): readonly Violation[] {
  return book.steps
    .filter(({ kind, state }) => kind === "call" && state === "processed")
    .filter((step) => !isOwn(step, book.ledgerOf.get(step.taskId) ?? []))
    .map(({ taskId, name, output }): Violation => {
      const what = `${name} returned ${JSON.stringify(output)}, which its partner did not say`;
      return { invariant: "I17", taskId, what };
    });
}

function isOwn({ taskId, name, output }: StepRow, entries: readonly LedgerEntry[]): boolean {
  // An assessment leaves no trace at the partner; its answer has a form of its own.
  if (name === "assess-risk") return hasField(output, "score");
  const entry = entries.find(
    ({ kind, key }) => kind === "applied" && key === `${taskId}:${name}:do`,
  );
  return entry !== undefined && saysTheSame(output, entry.answer ?? {});
}

const hasField = (value: unknown, field: string): boolean =>
  typeof value === "object" && value !== null && field in value;

function saysTheSame(output: unknown, answer: Readonly<Record<string, unknown>>): boolean {
  if (typeof output !== "object" || output === null) return false;
  return Object.entries(output).every(([field, value]) => answer[field] === value);
}
