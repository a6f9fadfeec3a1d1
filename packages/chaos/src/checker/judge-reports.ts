import { legalTaskTransitions, type TaskState } from "@holdfast/domain";
import type { Casebook } from "./casebook.ts";
import type { Observation, StatusMessage } from "./evidence.ts";
import type { Violation } from "./violation.ts";

/** I13: what askers and listeners were told is a path of the task, and ends where the task stands. */
export function judgeReports(book: Casebook): readonly Violation[] {
  const stored = new Map(book.tasks.map(({ taskId, state }) => [taskId, state]));
  const asked = Map.groupBy(book.observations, ({ observer, taskId }) => `${observer} ${taskId}`);
  const told = Map.groupBy(book.statuses, ({ taskId }) => taskId);
  return [
    ...[...asked.values()].flatMap((seen) => judgeObservations(seen)),
    ...[...told].flatMap(([taskId, seen]) => judgeStatuses(seen, stored.get(taskId))),
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

function judgeStatuses(
  messages: readonly StatusMessage[],
  stored: string | undefined,
): readonly Violation[] {
  const distinct = messages.filter(
    (message, index) => !messages.slice(0, index).some((other) => isSame(other, message)),
  );
  const [first] = distinct;
  const last = distinct.at(-1);
  if (first === undefined || last === undefined) return [];
  const { taskId } = first;
  const sequence = distinct.map((message) => message.sequence);
  const rises = sequence.every((one, index) => index === 0 || one > (sequence[index - 1] ?? one));
  return [
    ...(rises ? [] : [found(taskId, `told in the sequence ${sequence.join()}`)]),
    ...(first.event === "received" ? [] : [found(taskId, `first told: ${first.event}`)]),
    ...(last.state === stored ? [] : [found(taskId, `last told ${last.state}; it is ${stored}`)]),
  ];
}

const isSame = (one: StatusMessage, other: StatusMessage): boolean =>
  one.sequence === other.sequence && one.event === other.event && one.state === other.state;

/** Every state that can follow, directly or through others that nobody saw. */
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
