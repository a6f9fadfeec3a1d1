import type { StateStore, TaskStanding } from "@holdfast/state-store";
import type { Tasks } from "../find-tasks.ts";
import { Problem } from "../problem.ts";
import type { TaskResource } from "../task-resource.ts";
import type { Follower } from "./task-followers.ts";

export interface LookDependencies {
  readonly store: Pick<StateStore, "findMovesSince" | "findStandings">;
  readonly tasks: Pick<Tasks, "show">;
}

/** Moves of one task that a look reads. */
const most = 200;
/** Tasks that one statement asks about. */
const asked = 200;
/** Tasks that one look reads as a whole; the others follow with the next ones. */
const mostShown = 100;

/** Sends to followers what their tasks have done since the last look. */
export async function lookAtTasks(
  deps: LookDependencies,
  followers: readonly Follower[],
): Promise<void> {
  for (let at = 0; at < followers.length; at += asked) {
    await sendMoves(deps, followers.slice(at, at + asked));
  }
  const behind = followers.filter((one) => one.isBehind && !one.hasMore && !one.hasEnded);
  const alike = Map.groupBy(
    behind,
    ({ taskId, noun, reader }) => `${taskId} ${noun.inputField} ${reader}`,
  );
  for (const group of [...alike.values()].slice(0, mostShown)) await sendTask(deps, group);
}

/** Where the tasks stand is read before their moves, so that the end of a task is not seen before its last move. */
async function sendMoves({ store }: LookDependencies, some: readonly Follower[]): Promise<void> {
  const standings = await store.findStandings({
    taskIds: [...new Set(some.map(({ taskId }) => taskId))],
  });
  const followed = some.map(({ taskId, after }) => ({ taskId, after }));
  const moves = await store.findMovesSince({ followed, most });
  const standing = new Map(standings.map((one) => [one.taskId, one]));
  const movesOf = Map.groupBy(moves, placeOf);
  for (const one of some) {
    one.take(movesOf.get(placeOf(one)) ?? [], most);
    settle(one, standing.get(one.taskId) ?? null);
  }
}

const placeOf = ({ taskId, after }: Pick<Follower, "taskId" | "after">): string =>
  `${taskId} ${after}`;

function settle(one: Follower, standing: TaskStanding | null): void {
  if (standing === null) return one.end(null);
  if (standing.version !== one.sentVersion) one.isBehind = true;
  one.endedVersion = standing.hasEnded ? standing.version : null;
}

/** Sends a task as a whole to those that have all of its moves. */
async function sendTask({ tasks }: LookDependencies, group: readonly Follower[]): Promise<void> {
  const [first] = group;
  if (first === undefined) return;
  const task = await tasks.show(first.taskId, first).catch(refusalOf);
  for (const one of group) {
    one.isBehind = false;
    if (!(task instanceof Problem)) showTask(one, task);
    else if (task.status === 404) one.end(null);
  }
}

/** A task that is gone, or whose definition cannot be used. */
function refusalOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}

function showTask(one: Follower, task: TaskResource): void {
  one.stream.send({ event: "task", data: task });
  one.sentVersion = task.version;
  if (one.endedVersion === task.version) one.end(task.state);
  // Its last moves were not read yet.
  else one.isBehind = task.finishedAt !== null;
}
