import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { describe, eventStream } from "../api/describe.ts";
import type { Following } from "./follow-by-polls.ts";
import type { ChangesFollower } from "./follow-changes.ts";
import { lastEventId, type Resuming, StreamQuery } from "./last-event-id.ts";
import type { OpenStreams } from "./open-streams.ts";

interface Dependencies {
  readonly streams: OpenStreams;
  readonly changes: Following<ChangesFollower>;
  readonly onRequest: onRequestAsyncHookHandler;
}

/** Streams which tasks change, and how the system is. */
export function eventsRoute(
  app: FastifyInstance,
  { streams, changes, onRequest }: Dependencies,
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
