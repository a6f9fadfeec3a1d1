import type { Milliseconds } from "@holdfast/domain";
import type { StateStore, TaskStanding } from "@holdfast/state-store";
import type { Tasks } from "../find-tasks.ts";
import { Problem } from "../problem.ts";
import type { TaskResource } from "../task-resource.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { Follower } from "./task-followers.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "findMovesSince" | "findStandings">;
  readonly tasks: Pick<Tasks, "show">;
  readonly streams: Pick<OpenStreams, "isReady">;
}

/** Sends to each that follows a task what becomes of it. */
export interface TaskFollowing {
  follow(one: Follower): void;
  leave(one: Follower): void;
  stop(): void;
}

/** Moves of one task that a look reads. */
const most = 200;
/** Tasks that one statement asks about. */
const asked = 200;
/** Tasks that one look reads as a whole; the others follow with the next ones. */
const mostShown = 100;
/** Between two looks: longer where many follow. */
const soon: Milliseconds = 250;
const later: Milliseconds = 1_000;
const few = 100;
/** While the store does not answer. */
const afterFailure: Milliseconds = 1_000;

/**
 * One look at the store at a time asks for all tasks that are followed, however many clients follow. Nothing is asked
 * while no client does.
 */
export function followTasks({ store, tasks, streams }: Dependencies): TaskFollowing {
  const followers = new Set<Follower>();
  let next: ReturnType<typeof setTimeout> | null = null;
  let isLooking = false;
  let isAway = false;

  const look = async (): Promise<void> => {
    next = null;
    isLooking = true;
    let rest = followers.size > few ? later : soon;
    try {
      const ready = [...followers].filter(({ stream }) => streams.isReady(stream));
      for (let at = 0; at < ready.length; at += asked) await lookAt(ready.slice(at, at + asked));
      await showTasks(ready);
      if (isAway) say("the state store answers again");
      isAway = false;
    } catch {
      rest = afterFailure;
      if (!isAway) say("the state store does not answer; this goes on when it is back");
      isAway = true;
    }
    isLooking = false;
    plan(rest);
  };
  const say = (text: string): void => {
    for (const { stream } of followers) stream.comment(text);
  };
  const plan = (rest: Milliseconds): void => {
    if (next !== null || isLooking || followers.size === 0) return;
    next = setTimeout(() => void look(), rest);
  };

  /** Where the tasks stand is read before their moves, so that the end of a task is not seen before its last move. */
  const lookAt = async (some: readonly Follower[]): Promise<void> => {
    const taskIds = [...new Set(some.map(({ taskId }) => taskId))];
    const standings = await store.findStandings({ taskIds });
    const moves = await store.findMovesSince({
      followed: some.map(({ taskId, after }) => ({ taskId, after })),
      most,
    });
    const standing = new Map(standings.map((one) => [one.taskId, one]));
    const movesOf = Map.groupBy(moves, placeOf);
    for (const one of some) {
      one.take(movesOf.get(placeOf(one)) ?? [], most);
      settle(one, standing.get(one.taskId) ?? null);
    }
  };
  const settle = (one: Follower, standing: TaskStanding | null): void => {
    if (standing === null) return endOf(one, null);
    if (standing.version !== one.sentVersion) one.isBehind = true;
    one.endedVersion = standing.hasEnded ? standing.version : null;
  };
  const endOf = (one: Follower, task: Pick<TaskResource, "state"> | null): void => {
    one.stream.send({ event: "end", data: { id: one.taskId, state: task?.state ?? null } });
    one.stream.end();
    followers.delete(one);
  };

  /** Sends tasks as a whole to those that have all of their moves. */
  const showTasks = async (some: readonly Follower[]): Promise<void> => {
    const behind = some.filter((one) => followers.has(one) && one.isBehind && !one.hasMore);
    const alike = Map.groupBy(behind, ({ taskId, noun }) => `${taskId} ${noun.inputField}`);
    for (const group of [...alike.values()].slice(0, mostShown)) {
      const [{ taskId, noun }] = group as [Follower, ...Follower[]];
      const task = await tasks.show(taskId, noun).catch(refusalOf);
      for (const one of group) {
        one.isBehind = false;
        if (!(task instanceof Problem)) sendTask(one, task);
        else if (task.status === 404) endOf(one, null);
      }
    }
  };
  const sendTask = (one: Follower, task: TaskResource): void => {
    one.stream.send({ event: "task", data: task });
    one.sentVersion = task.version;
    if (one.endedVersion === task.version) endOf(one, task);
    // Its last moves were not read yet.
    else one.isBehind = task.finishedAt !== null;
  };

  return {
    follow(one) {
      followers.add(one);
      plan(0);
    },
    leave: (one) => void followers.delete(one),
    stop() {
      if (next !== null) clearTimeout(next);
      followers.clear();
    },
  };
}

const placeOf = ({ taskId, after }: Pick<Follower, "taskId" | "after">): string =>
  `${taskId} ${after}`;

/** A task that is gone, or whose definition cannot be used. */
function refusalOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}
