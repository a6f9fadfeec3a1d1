import type { SubmissionStore } from "@holdfast/state-store";
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import type { Access } from "../access/access.ts";
import { describe, eventStream } from "../api/describe.ts";
import { type ById, codesOfTask, TaskParams, type Tasks } from "../find-tasks.ts";
import type { Following } from "./follow-by-polls.ts";
import type { ChangesFollower } from "./follow-changes.ts";
import { lastEventId, type Resuming, StreamQuery } from "./last-event-id.ts";
import type { OpenStreams } from "./open-streams.ts";
import { type Follower, follower, overlap } from "./task-followers.ts";

/** Streams which tasks change, and how the system is. */
export function eventsRoute(
  app: FastifyInstance,
  {
    streams,
    changes,
    onRequest,
  }: {
    readonly streams: OpenStreams;
    readonly changes: Following<ChangesFollower>;
    readonly onRequest: onRequestAsyncHookHandler;
  },
): void {
  const schema = {
    ...describe({
      id: "followChanges",
      tag: "statistics",
      summary: "Follows all tasks: which of them have changed, and how the system is.",
      description:
        "Server-Sent Events: `changed`, once a second at most, and `tick`, each two seconds. After a lost connection it goes on after Last-Event-ID: of the last 20,000 moves, and tasks of the last five seconds may come once more.",
      answers: { "200": eventStream(["ChangedEvent", "TickEvent"]) },
    }),
    querystring: StreamQuery,
  };
  app.get<Resuming>(
    "/v1/events",
    { onRequest, schema, exposeHeadRoute: false },
    async (request, reply) => {
      const stream = streams.open(request, reply, () => changes.leave(one));
      const one: ChangesFollower = { stream, after: lastEventId(request) };
      changes.follow(one);
    },
  );
}

interface TaskEventsDependencies {
  readonly store: Pick<SubmissionStore, "findEarlierMove">;
  readonly tasks: Tasks;
  readonly streams: OpenStreams;
  readonly following: Following<Follower>;
  readonly access: Pick<Access, "readerOf" | "toRead">;
}

/** Streams what becomes of a task, to those who know its id. */
export function taskEventsRoute(app: FastifyInstance, deps: TaskEventsDependencies): void {
  const schema = {
    ...describe({
      id: "followTask",
      tag: "tasks",
      summary: "Follows the task: its moves as they come, until it has ended.",
      description: words,
      isOpen: true,
      answers: { "200": eventStream(["MovedEvent", "TaskEvent", "EndEvent"]) },
      codes: codesOfTask,
    }),
    params: TaskParams,
    querystring: StreamQuery,
  };
  const options = { schema, exposeHeadRoute: false, onRequest: deps.access.toRead };
  app.get<ById & Resuming>("/v1/tasks/:id/events", options, async (request, reply) => {
    deps.streams.mustHaveRoom(request);
    const start = await startOf(request, deps);
    const stream = deps.streams.open(request, reply, () => deps.following.leave(one));
    const one = follower(start, stream);
    deps.following.follow(one);
  });
}

const words =
  "Server-Sent Events. `moved`: an entry of its history, with its id as the id of the event. `task`: the task as it stands since. `end`: it has ended, or was deleted (`state` null); then the stream ends. Without Last-Event-ID it begins with the first move. After a lost connection, moves of the last five seconds before Last-Event-ID may come once more.";

async function startOf(
  request: FastifyRequest<ById & Resuming>,
  { tasks, store, access }: TaskEventsDependencies,
) {
  const { id: taskId } = request.params;
  await tasks.mustExist(taskId);
  const seen = lastEventId(request);
  const after = seen === null ? null : await store.findEarlierMove({ taskId, seen, overlap });
  return { taskId, reader: access.readerOf(request), after: after ?? "0" };
}
