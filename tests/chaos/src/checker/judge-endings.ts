import { endOf, type SampleKind } from "@holdfast/orders";
import type { StoreEvent, TaskRow } from "./evidence.ts";
import type { IndexedEvidence } from "./indexed-evidence.ts";
import type { Violation } from "./violation.ts";

const ended: ReadonlySet<string> = new Set(["processed", "undone"]);

/** I3: each order has come to the one end that is right for it, and nothing happened afterwards. */
export function judgeEndings(book: IndexedEvidence): readonly Violation[] {
  const kinds = new Map(book.history.map(({ key, kind }) => [key, kind]));
  return book.tasks.flatMap((task) => [
    ...unended(task),
    ...wrongEnd(task, task.key === null ? undefined : kinds.get(task.key)),
    ...afterlife(task, book.eventsOf.get(task.taskId) ?? []),
  ]);
}

const violation = (taskId: string, what: string): Violation => ({ invariant: "I3", taskId, what });

function unended({ taskId, state, finishedAt }: TaskRow): readonly Violation[] {
  if (!ended.has(state)) return [violation(taskId, `it is still ${state}`)];
  return finishedAt === null ? [violation(taskId, "it ended, but at no time")] : [];
}

/** The failure threshold is set so high that no fault we inject can turn a good order around. */
function wrongEnd({ taskId, state }: TaskRow, kind: SampleKind | undefined): readonly Violation[] {
  if (kind === undefined || !ended.has(state) || state === endOf(kind)) return [];
  return [violation(taskId, `a ${kind} order is ${state}`)];
}

function afterlife({ taskId }: TaskRow, events: readonly StoreEvent[]): readonly Violation[] {
  const end = events.findIndex(({ step, to }) => step === null && ended.has(to));
  const after =
    end === -1 ? undefined : events.slice(end + 1).find((event) => !sameMoment(event, events[end]));
  return after === undefined ? [] : [violation(taskId, `${after.action} came after its end`)];
}

/** The moves of one decision share its transaction, and their order says nothing. */
const sameMoment = (one: StoreEvent, other: StoreEvent | undefined): boolean =>
  one.at === other?.at && one.actor === other.actor;
