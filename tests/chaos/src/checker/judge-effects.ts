import type { LedgerEntry, TaskRow } from "./evidence.ts";
import { type IndexedEvidence, stepOfKey } from "./indexed-evidence.ts";
import type { Violation } from "./violation.ts";

/** What an order has done at the partners, in the order in which its steps follow one another. */
const effectsInOrder = ["reservations", "charges", "shipments", "confirmations"] as const;
const undoable: ReadonlySet<string> = new Set(["reservations", "charges", "shipments"]);

/** I4, I5, I10 and I12: the partners' own ledgers agree with what became of each order. */
export function judgeEffects(book: IndexedEvidence): readonly Violation[] {
  const known = new Set(book.tasks.map(({ taskId }) => taskId));
  return [
    ...book.tasks.flatMap((task) => judgeOrder(task, book.ledgerOf.get(task.taskId) ?? [])),
    ...[...book.ledgerOf.keys()]
      .filter((taskId) => !known.has(taskId))
      .map((taskId): Violation => {
        return { invariant: "I2", taskId, what: "partners worked for an unknown order" };
      }),
  ];
}

function judgeOrder(task: TaskRow, entries: readonly LedgerEntry[]): readonly Violation[] {
  return [
    ...nets(task, entries),
    ...doubles(task, entries),
    ...undos(task, entries),
    ...sequence(task, entries),
  ];
}

function nets({ taskId, state }: TaskRow, entries: readonly LedgerEntry[]): readonly Violation[] {
  if (state === "processed") {
    return effectsInOrder
      .filter((resource) => netOf(entries, resource) !== 1)
      .map((resource) => wrongNet("I4", taskId, { state, resource, entries }));
  }
  if (state !== "undone") return [];
  return effectsInOrder
    .filter((resource) => netOf(entries, resource) !== 0)
    .map((resource) => wrongNet("I5", taskId, { state, resource, entries }));
}

interface Net {
  readonly state: string;
  readonly resource: string;
  readonly entries: readonly LedgerEntry[];
}

const wrongNet = (
  invariant: "I4" | "I5",
  taskId: string,
  { state, resource, entries }: Net,
): Violation => ({
  invariant,
  taskId,
  what: `${state}, but its ${resource} come to ${netOf(entries, resource)}`,
});

const countOf = (entries: readonly LedgerEntry[], kind: LedgerEntry["kind"]): number =>
  entries.filter((entry) => entry.kind === kind).length;

function netOf(entries: readonly LedgerEntry[], resource: string): number {
  const own = entries.filter((entry) => entry.resource === resource);
  return countOf(own, "applied") - countOf(own, "undone");
}

/** Effects that happened more than once under one key, whatever became of them. */
export function doubles(
  { taskId }: Pick<TaskRow, "taskId">,
  entries: readonly LedgerEntry[],
): readonly Violation[] {
  return effectsInOrder
    .filter((resource) => applied(entries, resource).length > 1)
    .map((resource): Violation => {
      return { invariant: "I4", taskId, what: `its ${resource} happened twice` };
    });
}

const applied = (entries: readonly LedgerEntry[], resource: string): readonly LedgerEntry[] =>
  entries.filter((entry) => entry.kind === "applied" && entry.resource === resource);

function undos({ taskId, state }: TaskRow, entries: readonly LedgerEntry[]): readonly Violation[] {
  const found = (what: string): Violation => ({ invariant: "I10", taskId, what });
  const undone = entries.filter(({ kind }) => kind !== "applied");
  const places = undone.map(({ resource }) => placeOf(resource));
  const forwards = places.some((place, index) => place >= (places[index - 1] ?? Infinity));
  const risen = undone.filter(({ key, resource, seq }) =>
    applied(entries, resource).some((entry) => entry.key === key && entry.seq > seq),
  );
  return [
    ...(state === "processed" && undone.length > 0
      ? [found("it was processed, and something was undone")]
      : []),
    ...(forwards
      ? [found(`undone in the order ${undone.map(({ resource }) => resource).join()}`)]
      : []),
    ...undone
      .filter(({ resource }) => !undoable.has(resource))
      .map(({ resource }) => found(`${resource} cannot be undone, and were`)),
    ...risen.map(({ key }) => found(`${stepOfKey(key)} was done after its undo`)),
  ];
}

const placeOf = (resource: string): number =>
  effectsInOrder.findIndex((effect) => effect === resource);

function sequence({ taskId }: TaskRow, entries: readonly LedgerEntry[]): readonly Violation[] {
  const places = entries
    .filter(({ kind }) => kind === "applied")
    .map(({ resource }) => placeOf(resource));
  const late = places.findIndex((place, index) => place < (places[index - 1] ?? -1));
  const gap = places.findIndex((place) => place > 0 && !places.includes(place - 1));
  return [
    ...(late === -1
      ? []
      : [before(taskId, `${nameOf(places[late])} came after ${nameOf(places[late - 1])}`)]),
    ...(gap === -1 ? [] : [before(taskId, `${nameOf(places[gap])} without what comes before`)]),
  ];
}

const before = (taskId: string, what: string): Violation => ({ invariant: "I12", taskId, what });
const nameOf = (place = -1): string => effectsInOrder[place] ?? "nothing";
