import { submissionQueue } from "@holdfast/contracts";
import type { ClientEvent } from "@holdfast/load";
import type { FaultEvent } from "./evidence.ts";
import type { IndexedEvidence } from "./indexed-evidence.ts";
import { losesQueue } from "./loses-queue.ts";
import type { Violation } from "./violation.ts";

/** I1 and I2: what was accepted is there, and what is there was submitted. */
export function judgeSubmissions(book: IndexedEvidence): readonly Violation[] {
  return [...lostOrders(book), ...phantoms(book)];
}

function lostOrders({ history, tasks, faults }: IndexedEvidence): readonly Violation[] {
  const stored = new Map(tasks.flatMap(({ key, taskId }) => (key === null ? [] : [[key, taskId]])));
  return accepted(history).flatMap((event): readonly Violation[] => {
    const { key, taskId } = event;
    const storedId = stored.get(key);
    if (storedId === undefined) {
      if (isForfeit(event, faults)) return [];
      return [{ invariant: "I1", taskId, what: `${key} was accepted, and is not in the store` }];
    }
    if (taskId === null || taskId === storedId) return [];
    const what = `${key} was accepted as ${taskId}, but is stored as ${storedId}`;
    return [{ invariant: "I1", taskId, what }];
  });
}

function phantoms({ history, tasks }: IndexedEvidence): readonly Violation[] {
  const invoked = new Set(history.map(({ key }) => key));
  const refused = keysOf(history, "fail");
  const seen = new Set<string>();
  return tasks.flatMap(({ key, taskId }): readonly Violation[] => {
    const phantom = (what: string): readonly Violation[] => [{ invariant: "I2", taskId, what }];
    if (key === null || !invoked.has(key)) return phantom("no client submitted it");
    if (seen.has(key)) return phantom(`${key} is there twice`);
    seen.add(key);
    return refused.has(key) ? phantom(`${key} was refused, and is there`) : [];
  });
}

/**
 * The numbers of orders with a waiting submitter by how they became known, as Jepsen's total queue
 * counts them.
 */
export function classifyOrders({ history, tasks, faults }: IndexedEvidence) {
  const stored = new Set(tasks.map(({ key }) => key));
  const ok = accepted(history);
  const okKeys = new Set(ok.map(({ key }) => key));
  const ambiguous = [...keysOf(history, "info")].filter((key) => !okKeys.has(key));
  const missing = ok.filter(({ key }) => !stored.has(key));
  return {
    attempted: new Set(history.map(({ key }) => key)).size,
    acknowledged: okKeys.size,
    lost: missing.filter((event) => !isForfeit(event, faults)).length,
    /**
     * Confirmed by a broker that then lost the queue: the one queue that holds what nothing else
     * does.
     */
    forfeited: missing.filter((event) => isForfeit(event, faults)).length,
    /** Orders that were never acknowledged, and yet are there. */
    recovered: ambiguous.filter((key) => stored.has(key)).length,
  };
}

const accepted = (history: readonly ClientEvent[]): readonly ClientEvent[] =>
  history.filter(({ type }) => type === "ok");

const keysOf = (history: readonly ClientEvent[], type: ClientEvent["type"]): ReadonlySet<string> =>
  new Set(history.flatMap((event) => (event.type === type ? [event.key] : [])));

/** Milliseconds that an order may wait in `task.submissions` before submission takes it. */
const takenWithin = 30_000;

/** An order in `task.submissions` is nowhere else: who wipes the broker wipes it, too. */
const isForfeit = ({ via, at }: ClientEvent, faults: readonly FaultEvent[]): boolean =>
  via === "message" &&
  faults.some(
    (fault) =>
      losesQueue(fault, submissionQueue) && fault.from - takenWithin <= at && at <= fault.healedAt,
  );
