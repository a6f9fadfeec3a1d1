import { legalTaskTransitions, type TaskState } from "@holdfast/domain";
import type { Observation, StatusMessage, TaskRow } from "./evidence.ts";
import type { IndexedEvidence } from "./indexed-evidence.ts";
import { losesQueue } from "./loses-queue.ts";
import type { Violation } from "./violation.ts";

/**
 * I13: the states that observers and listeners saw are a path of the task, and end where the task
 * stands.
 */
export function judgeReports(book: IndexedEvidence): readonly Violation[] {
  const stored = new Map(book.tasks.map((task) => [task.taskId, task]));
  const gaps = statusQueueGaps(book);
  const asked = Map.groupBy(book.observations, ({ observer, taskId }) => `${observer} ${taskId}`);
  const told = Map.groupBy(book.statuses, ({ taskId }) => taskId);
  return [
    ...[...asked.values()].flatMap((seen) => judgeObservations(seen)),
    ...[...told].flatMap(([taskId, seen]) => {
      const task = stored.get(taskId);
      const isComplete = task !== undefined && !gaps.some((gap) => meets(task, gap));
      return [...judgeSequence(seen), ...(isComplete ? judgeEnds(seen, task) : [])];
    }),
  ];
}

const found = (taskId: string, what: string): Violation => ({ invariant: "I13", taskId, what });

function judgeObservations(seen: readonly Observation[]): readonly Violation[] {
  return seen.flatMap(({ taskId, state, version }, index) => {
    const before = seen[index - 1];
    if (before === undefined) return [];
    if (version < before.version)
      return [found(taskId, `version ${before.version}, then ${version}`)];
    const leads = state === before.state || reachable(before.state).has(state);
    return leads ? [] : [found(taskId, `seen ${before.state}, then ${state}`)];
  });
}

interface Gap {
  readonly from: number;
  readonly until: number;
}

/** Milliseconds that a status may lie in its queue until the listener has it. */
const unreadFor = 4_000;
/**
 * Milliseconds by which a time of the store may be wrong: its clock is set by as little as that.
 */
const clockError = 5_000;

/**
 * A queue that goes takes the unread statuses, and what is published until the listener has
 * declared it again.
 */
const statusQueueGaps = ({ faults, statusQueueSeen }: IndexedEvidence): readonly Gap[] =>
  faults
    .filter((fault) => losesQueue(fault, "status."))
    .map(({ from, healedAt }) => ({
      from: from - unreadFor - clockError,
      until:
        clockError + (statusQueueSeen.find((at) => at >= healedAt) ?? Number.POSITIVE_INFINITY),
    }));

/** Whether statuses of a task may have been lost in the gap. */
const meets = ({ createdAt, finishedAt }: TaskRow, { from, until }: Gap): boolean =>
  createdAt <= until && (finishedAt ?? Number.POSITIVE_INFINITY) >= from;

/** Judges that the sequence rises. The same message may come twice, and counts once. */
function judgeSequence(messages: readonly StatusMessage[]): readonly Violation[] {
  const distinct = messages.filter(
    (message, index) => !messages.slice(0, index).some((other) => isSame(other, message)),
  );
  const sequence = distinct.map((message) => message.sequence);
  const rises = sequence.every((one, index) => index === 0 || one > (sequence[index - 1] ?? one));
  const [first] = messages;
  return rises || first === undefined
    ? []
    : [found(first.taskId, `told in the sequence ${sequence.join()}`)];
}

function judgeEnds(messages: readonly StatusMessage[], { taskId, state }: TaskRow) {
  const inOrder = messages.toSorted((one, other) => one.sequence - other.sequence);
  const [first, last] = [inOrder[0], inOrder.at(-1)];
  return [
    ...(first?.event === "received" ? [] : [found(taskId, `first told: ${first?.event}`)]),
    ...(last?.state === state ? [] : [found(taskId, `last told ${last?.state}; it is ${state}`)]),
  ];
}

const isSame = (one: StatusMessage, other: StatusMessage): boolean =>
  one.sequence === other.sequence && one.event === other.event && one.state === other.state;

/** Every state that can follow, directly or through others that no observer saw. */
function reachable(from: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (state: TaskState): void => {
    for (const next of legalTaskTransitions[state]) {
      if (seen.has(next)) continue;
      seen.add(next);
      visit(next);
    }
  };
  visit(from as TaskState);
  return seen;
}
