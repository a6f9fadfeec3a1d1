import { type IndexedEvidence, isDisturbed } from "./indexed-evidence.ts";
import type { Invariant, Violation } from "./violation.ts";

/**
 * Milliseconds that a transaction may be idle. Whoever is frozen in the middle of one can do nothing
 * about it: the store ends it after 10 s, and needs a moment for it.
 */
const longestIdle = 11_000;
/** Milliseconds within which every request to submission is answered, whatever is broken. */
const answeredWithin = 20_000;

/** I15 and I16: nothing lies around, nothing is held, every question is answered. */
export function judgeHealth(book: IndexedEvidence): readonly Violation[] {
  return [...overdue(book), ...held(book), ...unanswered(book)];
}

const found = (invariant: Invariant, what: string): Violation => ({
  invariant,
  taskId: null,
  what,
});

function overdue({ samples, faults, plan: { recoveryMs } }: IndexedEvidence): readonly Violation[] {
  return samples
    .filter(({ overdueMs }) => overdueMs > recoveryMs)
    .filter(({ at }) => !isDisturbed(faults, at, { grace: recoveryMs }))
    .map(({ overdueMs }) => found("I15", `a step was overdue for ${Math.round(overdueMs)} ms`));
}

function held({ samples, plan }: IndexedEvidence): readonly Violation[] {
  return samples.flatMap(({ idleInTransactionMs: idle, connections }) => [
    ...(idle > longestIdle
      ? [found("I16", `a transaction was idle for ${Math.round(idle)} ms`)]
      : []),
    ...(connections > plan.maxConnections
      ? [found("I16", `${connections} connections to the store`)]
      : []),
  ]);
}

const unanswered = ({ history }: IndexedEvidence): readonly Violation[] =>
  history
    .filter(({ type, tookMs }) => type !== "invoke" && tookMs > answeredWithin)
    .map(({ key, tookMs }) => found("I16", `${key} was answered after ${Math.round(tookMs)} ms`));
