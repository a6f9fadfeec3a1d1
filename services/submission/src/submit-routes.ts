import { limits, Payload } from "@holdfast/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { type Door, doorsOf } from "./doors.ts";
import { taskNoun } from "./noun.ts";
import { Problem } from "./problem.ts";
import { type Asked, type SubmitDependencies, taskSubmitter } from "./submit-task.ts";

const closed = { additionalProperties: false };
const TaskBody = Type.Object(
  {
    /** With its version, or without: then the newest that is not retired. */
    workflow: Type.String({ minLength: 1, maxLength: limits.name }),
    input: Payload,
    /** Each level is a head start of 30 s. */
    priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 9 })),
    replyTo: Type.Optional(Type.String({ maxLength: limits.property })),
    correlationId: Type.Optional(Type.String({ maxLength: limits.property })),
  },
  closed,
);
/** Not closed: what a proxy adds is no mistake of the client. */
const SubmitQuery = Type.Object({
  allowUnknownAgents: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false"), Type.Literal("")]),
  ),
});

/**
 * Submits tasks over HTTP. A task that was answered with 202 is durable, with all its steps. What waits for
 * the state store is bounded: beyond that a task is answered 503 at once. A task whose client is gone, or
 * that waited too long, is not written.
 */
export function submitRoutes(app: FastifyInstance, deps: SubmitDependencies): void {
  const submitter = taskSubmitter(deps);
  app.refuseEarly({ method: "POST", isMeant, isOverloaded: () => submitter.isFull() });

  const submit = async (
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Omit<Asked, "idempotencyKey" | "allowsUnknownAgents">,
  ) => {
    const idempotencyKey = text(request.headers["idempotency-key"]);
    const allowsUnknownAgents = allowsUnknown(request.query);
    const accepted = await submitter.submit(
      { ...asked, idempotencyKey, allowsUnknownAgents },
      { bodyBytes: request.bodyBytes, onGone: (withdraw) => onGone(request, reply, withdraw) },
    );
    if (accepted.kind === "replayed") void reply.header("idempotency-replayed", "true");
    return reply
      .code(202)
      .header("location", `/v1/${asked.noun.plural}/${accepted.taskId}`)
      .header("retry-after", "1")
      .send({ id: accepted.taskId });
  };

  app.post<{ Body: Static<typeof TaskBody> }>(
    "/v1/tasks",
    { schema: { body: TaskBody, querystring: SubmitQuery } },
    (request, reply) => {
      const { priority = 0, replyTo, correlationId, workflow, input } = request.body;
      const asked = { workflow, input, priority, replyTo, correlationId };
      return submit(request, reply, { noun: taskNoun, ...asked });
    },
  );

  for (const door of doorsOf(deps.directory).filter(isOfCollections)) {
    const schema = {
      params: Type.Object(door.params),
      body: Payload,
      querystring: SubmitQuery,
    };
    app.post(door.path, { schema }, async (request, reply) => {
      const { headers, body: input } = request;
      const noun = await door.nounOf(request);
      return submit(request, reply, {
        noun,
        workflow: noun.family ?? "",
        input,
        priority: readPriority(text(headers["priority"])),
        replyTo: text(headers["reply-to"]),
        correlationId: text(headers["correlation-id"]),
      });
    });
  }
}

function onGone(request: FastifyRequest, reply: FastifyReply, call: () => void): void {
  if (request.raw.socket.destroyed) call();
  reply.raw.once("close", call);
}

const isOfCollections = ({ params }: Door): boolean => "collection" in params;

/** Of the requests that submit a task. */
const isMeant = (url: string): boolean => /^\/v1\/[^/]+$/.test(url);

const allowsUnknown = (query: unknown): boolean => {
  const { allowUnknownAgents } = query as Static<typeof SubmitQuery>;
  return allowUnknownAgents !== undefined && allowUnknownAgents !== "false";
};

const text = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join() : header;

function readPriority(priority: string | undefined): number {
  if (priority === undefined) return 0;
  if (/^[0-9]$/.test(priority)) return Number(priority);
  throw new Problem(400, "request.priority_invalid", "priority must be a number from 0 to 9.");
}
