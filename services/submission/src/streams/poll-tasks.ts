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

/** Moves of one task that a look reads. */
const most = 200;
/** Tasks that one statement asks about. */
const asked = 200;
/** Tasks that one look reads as a whole; the others follow with the next ones. */
const mostShown = 100;

/** Sends to followers what their tasks have done since the last look. */
async function pollTasks(deps: PollDependencies, followers: readonly Follower[]): Promise<void> {
  for (let at = 0; at < followers.length; at += asked) {
    await sendMoves(deps, followers.slice(at, at + asked));
  }
  const behind = followers.filter((one) => one.isBehind && !one.hasMore && !one.hasEnded);
  const alike = Map.groupBy(behind, ({ taskId, reader }) => `${taskId} ${reader}`);
  for (const group of [...alike.values()].slice(0, mostShown)) await sendTask(deps, group);
}

/**
 * Sends moves of tasks. Their states are read before their moves, so that the end of a task is not seen before its
 * last move.
 */
async function sendMoves(
  { store, streams }: PollDependencies,
  some: readonly Follower[],
): Promise<void> {
  const standings = await store.findStandings({
    taskIds: [...new Set(some.map(({ taskId }) => taskId))],
  });
  const followed = some.map(({ taskId, after }) => ({ taskId, after }));
  const moves = await store.findMovesSince({ followed, most });
  const standing = new Map(standings.map((one) => [one.taskId, one]));
  const movesOf = Map.groupBy(moves, placeOf);
  for (const one of some) {
    // Those before it may have filled the memory of all: it has its moves with a later look.
    if (!streams.isReady(one.stream)) continue;
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

/** Sends a task as a whole to those that have all of its moves. It is read and written once for all of them. */
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
      for (const one of ready) refuseTask(one, shown);
    } else {
      const event = writeEvent({ event: "task", data: shown });
      for (const one of ready) {
        // Another one has it with a later look.
        if (streams.isReady(one.stream, event.length)) showTask(one, shown, event);
      }
    }
  } finally {
    room.release();
  }
}

/** A task that is gone, or whose definition cannot be used; null: there is no room for it now. */
function refusalOf(error: unknown): Problem | null {
  if (error instanceof Problem) return error;
  if (error === overload) return null;
  throw error;
}

function refuseTask(one: Follower, { status }: Problem): void {
  one.isBehind = false;
  if (status === 404) one.end(null);
}

function showTask(one: Follower, task: TaskResource, event: Buffer): void {
  one.stream.sendWritten(event);
  one.isBehind = false;
  one.sentVersion = task.version;
  if (one.endedVersion === task.version) one.end(task.state);
  // Its last moves were not read yet.
  else one.isBehind = task.finishedAt !== null;
}

/** Milliseconds between two looks: more where many follow. */
const soon: Milliseconds = 250;
const later: Milliseconds = 1_000;
const few = 100;

/** Sends to each that follows a task what becomes of it. One look asks for all tasks that are followed. */
export const followTasks = (deps: PollDependencies): Following<Follower> =>
  followByPolls({
    async look(followers) {
      const rest = followers.size > few ? later : soon;
      const ready = [...followers].filter(({ stream }) => deps.streams.isReady(stream));
      try {
        await pollTasks(deps, ready);
      } finally {
        for (const one of followers) if (one.hasEnded) followers.delete(one);
      }
      return rest;
    },
  });
