import { FairnessKey, limits, Payload } from "@holdfast/contracts";
import { fairnessLimits, priorities } from "@holdfast/domain";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { type Door, doorsOf } from "./doors.ts";
import { taskNoun } from "./noun.ts";
import { type Asked, type SubmitDependencies, taskSubmitter } from "./submit-task.ts";

const closed = { additionalProperties: false };
const Fairness = Type.Object(
  {
    key: Type.Optional(FairnessKey),
    weight: Type.Optional(Type.Integer({ minimum: 1, maximum: fairnessLimits.weight })),
  },
  closed,
);
const TaskBody = Type.Object(
  {
    /** With its version, or without: then the newest that is not retired. */
    workflow: Type.String({ minLength: 1, maxLength: limits.name }),
    input: Payload,
    /** Which steps are claimed first: urgent, normal (usual) or batch. */
    priority: Type.Optional(Type.Enum([...priorities])),
    /** By what the task shares its band with others. What is left out is where the workflow says. */
    fairness: Type.Optional(Fairness),
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
      const { fairness, ...asked } = request.body;
      const { replyTo, correlationId } = asked;
      return submit(request, reply, {
        noun: taskNoun,
        ...asked,
        replyTo,
        correlationId,
        fairnessKey: fairness?.key,
        fairnessWeight: fairness?.weight,
      });
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
      const asked = { noun, workflow: noun.family ?? "", input, ...askedInHeaders(headers) };
      return submit(request, reply, asked);
    });
  }
}

/** The body of a collection's route is the input, so the rest is in headers. */
const askedInHeaders = (headers: FastifyRequest["headers"]) => ({
  // `Priority` is taken: browsers and proxies send one of RFC 9218.
  priority: text(headers["task-priority"]),
  fairnessKey: text(headers["fairness-key"]),
  fairnessWeight: text(headers["fairness-weight"]),
  replyTo: text(headers["reply-to"]),
  correlationId: text(headers["correlation-id"]),
});

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
