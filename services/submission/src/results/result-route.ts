import { durationPattern, type Milliseconds, parseDuration } from "@holdfast/domain";
import type { FastifyInstance, FastifyReply } from "fastify";
import { type Static, Type } from "typebox";
import type { Access } from "../access/access.ts";
import { describe, ref } from "../api/describe.ts";
import { codesOfTask, TaskParams, type Tasks } from "../find-tasks.ts";
import { invalidRequest, Problem } from "../problem.ts";
import { roomForRows } from "../room.ts";
import type { TaskResource } from "../task-resource.ts";
import { mostResultBytes } from "./result-of.ts";
import type { ResultWaiter } from "./result-waiter.ts";
import { isSettled, longestWait, waitForResult } from "./wait-for-result.ts";

interface ResultDependencies {
  readonly tasks: Tasks;
  readonly waiter: ResultWaiter;
  readonly access: Pick<Access, "toRead">;
}

const Query = Type.Object({
  wait: Type.Optional(
    Type.String({
      maxLength: 15,
      pattern: durationPattern,
      description: "How long to wait for the end of the task, such as 30s: at most a minute.",
    }),
  ),
});

/** Shows what a task resulted in, and waits for that if it is asked to. */
export function resultRoute(
  app: FastifyInstance,
  { tasks, waiter, access }: ResultDependencies,
): void {
  const schema = {
    ...describe({
      id: "getResult",
      tag: "tasks",
      summary: "The result of the task: waits for it with `wait=30s`.",
      isOpen: true,
      answers: {
        "200": {
          words: "It has ended, as `state` says.",
          schema: ref("TaskResult"),
          headers: ["etag"],
        },
        "202": {
          words: "It has not ended: as it stands. A wait ends early when it halts.",
          schema: ref("TaskResult"),
          headers: ["etag", "retry-after"],
        },
      },
      codes: { ...codesOfTask, 422: ["task.result_too_large"] },
    }),
    params: TaskParams,
    querystring: Query,
  };
  const onRequest = access.toRead;
  app.get<{ Params: { id: string }; Querystring: Static<typeof Query> }>(
    "/v1/tasks/:id/result",
    { onRequest, schema },
    async (request, reply) => {
      const { id } = request.params;
      // A result has nothing in it that operators alone may see.
      const makeRoom = roomForRows(request, reply);
      const as = { reader: "stranger", makeRoom } as const;
      const timeout = readWait(request.query.wait);
      const now = await tasks.show(id, as);
      if (isSettled(now.resource) || timeout === 0) {
        return sendResult(reply, await tasks.withResult(now, makeRoom));
      }
      // Nothing of the task is needed while it goes on.
      request.held?.release();
      await waitForResult(waiter, request, reply, { taskId: id, timeout });
      return sendResult(reply, await tasks.withResult(await tasks.show(id, as), makeRoom));
    },
  );
}

/** 200 with the result of a task that has ended, 202 with its state otherwise. */
export function sendResult(
  reply: FastifyReply,
  { id, state, result, faultCode, finishedAt, version, omitted = [] }: TaskResource,
): FastifyReply {
  if (omitted.includes("result")) throw resultTooLarge();
  void reply.header("etag", `"${version}"`);
  if (finishedAt === null) void reply.code(202).header("retry-after", "1");
  return reply.send({ id, state, result, faultCode });
}

const resultTooLarge = () =>
  new Problem(
    422,
    "task.result_too_large",
    `The task is processed, and its result is longer than ${mostResultBytes} bytes: read the outputs of its steps, GET /v1/tasks/{id}, or have the workflow result in less.`,
  );

function readWait(text: string | undefined): Milliseconds {
  const wait = text === undefined ? 0 : parseDuration(text);
  if (wait <= longestWait) return wait;
  throw invalidRequest([{ pointer: "/wait", detail: "must be at most 60s" }]);
}
