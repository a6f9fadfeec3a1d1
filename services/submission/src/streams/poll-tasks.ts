import type { Milliseconds } from "@holdfast/domain";
import { overload } from "@holdfast/runtime";
import type { SubmissionStore, TaskStanding } from "@holdfast/state-store";
import type { Tasks } from "../find-tasks.ts";
import { Problem } from "../problem.ts";
import type { TaskResource } from "../task-resource.ts";
import { writeEvent } from "./event-stream.ts";
import { type Following, followByPolls } from "./follow-by-polls.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { Follower } from "./task-followers.ts";

interface PollDependencies {
  readonly store: Pick<SubmissionStore, "findMovesSince" | "findStandings">;
  readonly tasks: Pick<Tasks, "show">;
  readonly streams: Pick<OpenStreams, "isReady" | "roomFor">;
}

/** Moves of one task that a poll reads. */
const mostMoves = 200;
/** Followers whose tasks one statement reads. */
const mostFollowers = 200;
/** Tasks that one poll reads as a whole; the next polls read the others. */
const mostShown = 100;

/** Sends to followers what their tasks have done since the last poll. */
async function pollTasks(deps: PollDependencies, followers: readonly Follower[]): Promise<void> {
  for (let at = 0; at < followers.length; at += mostFollowers) {
    await sendMoves(deps, followers.slice(at, at + mostFollowers));
  }
  const behind = followers.filter((one) => one.isBehind && !one.hasMore && !one.hasEnded);
  const alike = Map.groupBy(behind, ({ taskId, reader }) => `${taskId} ${reader}`);
  for (const group of [...alike.values()].slice(0, mostShown)) await sendTask(deps, group);
}

/**
 * Sends moves of tasks. Their states are read before their moves, so that the end of a task is not
 * seen before its last move.
 */
async function sendMoves(
  { store, streams }: PollDependencies,
  followers: readonly Follower[],
): Promise<void> {
  const standings = await store.findStandings({
    taskIds: [...new Set(followers.map(({ taskId }) => taskId))],
  });
  const followed = followers.map(({ taskId, after }) => ({ taskId, after }));
  const moves = await store.findMovesSince({ followed, most: mostMoves });
  const standingOf = new Map(standings.map((one) => [one.taskId, one]));
  const movesOf = Map.groupBy(moves, cursorOf);
  for (const follower of followers) {
    // Others may have filled the memory that all streams share: then a later poll sends its moves.
    if (!streams.isReady(follower.stream)) continue;
    follower.take(movesOf.get(cursorOf(follower)) ?? [], mostMoves);
    noteStanding(follower, standingOf.get(follower.taskId) ?? null);
  }
}

/** The task, and the move after which a follower goes on. */
const cursorOf = ({ taskId, after }: Pick<Follower, "taskId" | "after">): string =>
  `${taskId} ${after}`;

/** Notes how the task stands; null: it is gone. */
function noteStanding(follower: Follower, standing: TaskStanding | null): void {
  if (standing === null) return follower.end(null);
  if (standing.version !== follower.sentVersion) follower.isBehind = true;
  follower.endedVersion = standing.hasEnded ? standing.version : null;
}

/**
 * Sends a task as a whole to followers that have all of its moves. It is read and written once for
 * all of them.
 */
async function sendTask({ tasks, streams }: PollDependencies, group: readonly Follower[]) {
  const ready = group.filter(({ stream }) => streams.isReady(stream));
  const [first] = ready;
  if (first === undefined) return;
  const room = streams.roomFor(first.stream);
  const { taskId, reader } = first;
  try {
    const as = { reader, makeRoom: room.make };
    const shown = await tasks.show(taskId, as).then(({ resource }) => resource, refusalOf);
    if (shown === null) return;
    if (shown instanceof Problem) {
      for (const follower of ready) refuseTask(follower, shown);
    } else {
      const event = writeEvent({ event: "task", data: shown });
      for (const follower of ready) {
        // Where it has no room, a later poll sends it.
        if (streams.isReady(follower.stream, event.length)) sendShown(follower, shown, event);
      }
    }
  } finally {
    room.release();
  }
}

/**
 * Why a task cannot be shown: it is gone, or its definition cannot be used; null: there is no room
 * for it now.
 */
function refusalOf(error: unknown): Problem | null {
  if (error instanceof Problem) return error;
  if (error === overload) return null;
  throw error;
}

function refuseTask(follower: Follower, { status }: Problem): void {
  follower.isBehind = false;
  if (status === 404) follower.end(null);
}

function sendShown(follower: Follower, task: TaskResource, event: Buffer): void {
  follower.stream.sendWritten(event);
  follower.sentVersion = task.version;
  // It may have ended since its moves were read: then the last of them come first.
  follower.isBehind = task.finishedAt !== null && follower.endedVersion !== task.version;
  if (follower.endedVersion === task.version) follower.end(task.state);
}

/** Pauses between two polls: longer with more followers than a few. */
const shortPause: Milliseconds = 250;
const longPause: Milliseconds = 1_000;
const few = 100;

/**
 * Sends to each follower of a task what becomes of it. One poll reads all tasks that are followed.
 */
export const followTasks = (deps: PollDependencies): Following<Follower> =>
  followByPolls({
    async poll(followers) {
      const pause = followers.size > few ? longPause : shortPause;
      const ready = [...followers].filter(({ stream }) => deps.streams.isReady(stream));
      try {
        await pollTasks(deps, ready);
      } finally {
        for (const one of followers) if (one.hasEnded) followers.delete(one);
      }
      return pause;
    },
  });
