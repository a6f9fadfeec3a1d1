import { countEvents, type IdSpan, idGaps, keptFor, resolutions } from "@holdfast/domain";
import { exactlyOnce, repeatable } from "../postgres/operation.ts";
import { columns, type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { type NewEvent, recordFailures } from "./record-failures.ts";

/** What one round of counting did. */
export interface RolledUp {
  readonly outcome: "counted" | "nothing new" | "another Supervisor counts";
  /** Entries of the history that it counted. */
  readonly events: number;
  /** Ids that are assigned and were not looked at yet. */
  readonly behind: number;
}

interface Gap extends IdSpan {
  /**
   * The transaction before which all must have ended by the last look; null: the gap has just come
   * about.
   */
  readonly until: string | null;
  /** No transaction is left that could fill it. */
  readonly isLast: boolean;
}

interface Turn {
  readonly countedTo: number;
  readonly lastId: number;
  readonly openMonths: readonly string[];
  readonly months: readonly string[];
  readonly nextXid: string;
  readonly gaps: readonly Gap[];
}

const lock = query("lock-statistics-progress");
const findTurn = query("find-statistics-turn", rowsOf<Turn>());
const find = query("find-new-events", rowsOf<NewEvent>());
const add = query("add-statistics");
const save = query("save-statistics-progress");

/**
 * Ids that one round looks at, at most, and those before them that it reads again for the gaps
 * among them.
 */
const batch = 10_000;
export const gapSpan = 20_000;
const mostGaps = 1_000;

/**
 * Counts the next entries of the history, each exactly once; one Supervisor at a time: those after
 * the last one that was seen, and those of transactions that had not committed by then. Ids are
 * assigned before a transaction commits, so an id without a row is a gap. It is looked at in each
 * round while it is recent, and for the last time when every transaction has ended that was running
 * in the round after: so each entry is counted once, however late it is committed.
 */
export const rollUp = exactlyOnce(async (db): Promise<RolledUp> => {
  const [[locked], [turn]] = await Promise.all([
    lock(db, {}),
    findTurn(db, { mostGaps, gapSpan: String(gapSpan) }),
  ]);
  if (locked === undefined || turn === undefined)
    return { outcome: "another Supervisor counts", events: 0, behind: 0 };
  const { countedTo, lastId, gaps } = turn;
  const to = Math.max(countedTo, Math.min(lastId, countedTo + batch));
  const recent = gaps.filter(({ from, isLast }) => !isLast && from > countedTo - gapSpan);
  const last = firstOf(gaps.filter(({ isLast }) => isLast));
  const events = [
    ...(await findIn(db, [...recent, { from: countedTo + 1, to }], turn.months)),
    // Of any month: whatever was unfinished when the gap came about may have ended.
    ...(await findIn(db, last, null)),
  ];
  await record(db, events);
  await saveTurn(db, turn, { to, recent, last, events });
  const outcome = events.length > 0 || to > countedTo ? "counted" : "nothing new";
  return { outcome, events: events.length, behind: Math.max(0, lastId - to) };
});

/** The first gaps that are close enough to each other to be read in one go. */
const firstOf = (gaps: readonly Gap[]): readonly Gap[] =>
  gaps.filter(({ to }) => to < (gaps[0]?.from ?? 0) + gapSpan || to === gaps[0]?.to);

async function findIn(
  db: Database,
  spans: readonly IdSpan[],
  months: readonly string[] | null,
): Promise<readonly NewEvent[]> {
  const asked = spans.filter(({ from, to }) => from <= to);
  if (asked.length === 0) return [];
  return find(db, {
    firstEvent: String(Math.min(...asked.map(({ from }) => from))),
    lastEvent: String(Math.max(...asked.map(({ to }) => to))),
    gaps: `{${asked.map(({ from, to }) => `[${from},${to}]`).join()}}`,
    months: months === null ? null : [...months],
  });
}

interface Seen {
  readonly to: number;
  readonly recent: readonly Gap[];
  readonly last: readonly Gap[];
  readonly events: readonly NewEvent[];
}

async function saveTurn(
  db: Database,
  { countedTo, gaps, nextXid, openMonths }: Turn,
  { to, recent, last, events }: Seen,
): Promise<void> {
  const seen = events.map(({ id }) => id);
  const early = gaps.filter((gap) => !gap.isLast);
  const left = [
    ...early.flatMap((gap) => {
      // One that is too far back waits for its last look.
      const spans = recent.includes(gap) ? idGaps([gap], seen) : [gap];
      return spans.map(({ from, to: end }) => ({ from, to: end, until: gap.until ?? nextXid }));
    }),
    ...idGaps(countedTo < to ? [{ from: countedTo + 1, to }] : [], seen).map((gap) => ({
      ...gap,
      until: null,
    })),
  ];
  const kept = new Set(left.map(({ from }) => from));
  const done = [...early, ...last].map(({ from }) => from).filter((from) => !kept.has(from));
  await save(db, {
    ...columns(
      left.map((gap) => ({ ...gap, from: String(gap.from), to: String(gap.to) })),
      { gapFroms: "from", gapTos: "to", gapUntils: "until" },
    ),
    doneGaps: done.map(String),
    countedTo: String(to),
    months: [...openMonths],
    ...openChanges(events),
  });
}

/** The numbers by which the open tasks of each state became more. */
function openChanges(events: readonly NewEvent[]) {
  const changes = { pending: 0, processing: 0, undoing: 0, halted: 0 };
  const change = (state: string | null, one: 1 | -1): void => {
    if (state !== null && state in changes) changes[state as keyof typeof changes] += one;
  };
  for (const { step, fromState, toState } of events) {
    if (step !== null) continue;
    change(fromState, -1);
    change(toState, 1);
  }
  const { pending, processing, undoing, halted } = changes;
  return {
    pending: String(pending),
    processing: String(processing),
    undoing: String(undoing),
    halted: String(halted),
  };
}

async function record(db: Database, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const counted = countEvents(
    events.map(({ fromState: from, toState: to, ...event }) => ({ ...event, from, to })),
  ).toSorted(byKey);
  if (counted.length > 0) await add(db, toColumns(counted));
  await recordFailures(db, events);
}

type Counted = ReturnType<typeof countEvents>[number];

/** Sorts in one order, so that rows are locked in one order. */
const byKey = (one: Counted, other: Counted): number => (keyOf(one) < keyOf(other) ? -1 : 1);
const keyOf = ({ resolution, subject, at }: Counted): string => `${resolution} ${subject} ${at}`;

const toColumns = (counted: readonly Counted[]) =>
  columns(
    counted.map(({ durations, ...bucket }) => ({
      ...bucket,
      durations: JSON.stringify(durations),
      submitted: String(bucket.submitted),
      processed: String(bucket.processed),
      undone: String(bucket.undone),
      halted: String(bucket.halted),
      attempts: String(bucket.attempts),
      failedAttempts: String(bucket.failedAttempts),
      undoneSteps: String(bucket.undoneSteps),
    })),
    {
      resolutions: "resolution",
      subjects: "subject",
      ats: "at",
      submitted: "submitted",
      processed: "processed",
      undone: "undone",
      halted: "halted",
      attempts: "attempts",
      failedAttempts: "failedAttempts",
      undoneSteps: "undoneSteps",
      durations: "durations",
    },
  );

const deleteCounts = query("delete-old-statistics", rowsOf<{ deleted: number }>());
const deleteFailures = query("delete-old-failures", rowsOf<{ deleted: number }>());

/** Groups of failures that are kept: those that happened last. */
const mostGroups = 10_000;

/**
 * Deletes a batch of counts of each resolution that are past their time, and one of failures;
 * returns how many rows the largest had.
 */
export const deleteOldStatistics = repeatable(
  async (db, asked: { readonly batch: number }): Promise<number> => {
    const [failures] = await deleteFailures(db, { ...asked, mostGroups });
    let most = failures?.deleted ?? 0;
    for (const resolution of resolutions) {
      const [counts] = await deleteCounts(db, { ...asked, resolution, keep: keptFor[resolution] });
      most = Math.max(most, counts?.deleted ?? 0);
    }
    return most;
  },
);
