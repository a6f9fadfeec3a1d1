import { FairnessKey, limits, Payload } from "@holdfast/contracts";
import { fairnessLimits, type Json, priorities } from "@holdfast/domain";
import { onGone } from "@holdfast/runtime/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import type { Access, AnonymousWish } from "./access/access.ts";
import { describeAt, ref } from "./api/describe.ts";
import { type Door, doorsOf } from "./doors.ts";
import type { Tasks } from "./find-tasks.ts";
import { taskNoun } from "./noun.ts";
import { labelNamePattern, labelValuePattern, namingLimits } from "./read-naming.ts";
import { sendResult } from "./results/result-route.ts";
import type { ResultWaiter } from "./results/result-waiter.ts";
import { preferredWait, waitForResult } from "./results/wait-for-result.ts";
import { roomForRows } from "./room.ts";
import { type Asked, type SubmitDependencies, taskSubmitter } from "./submit-task.ts";

const closed = { additionalProperties: false };
const Fairness = Type.Object(
  {
    key: Type.Optional(
      Type.Unsafe<string>({ ...FairnessKey, description: "By what the task shares its band." }),
    ),
    weight: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: fairnessLimits.weight,
        description: "How many shares of its band the key has.",
      }),
    ),
  },
  {
    ...closed,
    description: "By what the task shares its priority with others; else as the workflow says.",
  },
);
const Labels = Type.Record(
  Type.String({ pattern: labelNamePattern }),
  Type.String({ minLength: 1, maxLength: namingLimits.value, pattern: labelValuePattern }),
  { ...closed, maxProperties: namingLimits.labels, description: "By what the task is found." },
);
const TaskBody = Type.Object(
  {
    workflow: Type.String({
      minLength: 1,
      maxLength: limits.name,
      description: "With its version, or without: then the active one.",
    }),
    input: Type.Unsafe<Json>({ ...Payload, description: "The input of the workflow." }),
    priority: Type.Optional(
      Type.Enum([...priorities], {
        description: "Which steps are claimed first; normal unless said otherwise.",
      }),
    ),
    fairness: Type.Optional(Fairness),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.property,
        description: "The business's own name: at most one open task of the workflow has it.",
      }),
    ),
    labels: Type.Optional(Labels),
    notBefore: Type.Optional(
      Type.String({
        maxLength: limits.instant,
        description: "When the first steps become due: an instant with its zone.",
      }),
    ),
    replyTo: Type.Optional(
      Type.String({ maxLength: limits.property, description: "Your own queue for its status." }),
    ),
    correlationId: Type.Optional(
      Type.String({
        maxLength: limits.property,
        description: "What the notifications of the task carry.",
      }),
    ),
  },
  closed,
);
/** Not closed: what a proxy adds is no mistake of the client. */
const SubmitQuery = Type.Object({
  allowUnknownAgents: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false"), Type.Literal("")], {
      description: "Takes the task although one of its Agents has never announced itself.",
    }),
  ),
});

interface Dependencies extends SubmitDependencies {
  readonly tasks: Tasks;
  readonly waiter: ResultWaiter;
  readonly access: Access;
}

/** The headers of a submission, which say what is not in its body. */
const SubmitHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({ description: "The same key stands for the same task, for 24 hours." }),
  ),
  traceparent: Type.Optional(
    Type.String({ description: "W3C Trace Context: the task goes on with the caller's trace." }),
  ),
  tracestate: Type.Optional(
    Type.String({ description: "W3C Trace Context: what goes with traceparent." }),
  ),
  prefer: Type.Optional(
    Type.String({
      description: "wait=10: 200 with the result, if there is one in so many seconds.",
    }),
  ),
});
const CollectionHeaders = Type.Object({
  ...SubmitHeaders.properties,
  "task-key": Type.Optional(
    Type.String({ description: "The business's own name: at most one open task has it." }),
  ),
  "task-labels": Type.Optional(
    Type.String({ description: "By what the task is found, such as region=eu,guest=ada." }),
  ),
  "not-before": Type.Optional(
    Type.String({ description: "When the first steps become due: an instant with its zone." }),
  ),
  "task-priority": Type.Optional(
    Type.String({ description: "urgent, normal or batch: which steps are claimed first." }),
  ),
  "fairness-key": Type.Optional(
    Type.String({ description: "By what the task shares its priority with others." }),
  ),
  "fairness-weight": Type.Optional(
    Type.String({ description: "How many shares the key has: 1 to 1000." }),
  ),
  "reply-to": Type.Optional(Type.String({ description: "Your own queue for its status." })),
  "correlation-id": Type.Optional(
    Type.String({ description: "What the notifications of the task carry." }),
  ),
});

const describeSubmission = (door: Door) =>
  describeAt(door, {
    id: "submitTask",
    summary: door.isOfCollection
      ? "Submits a task of the workflow that has the collection. 202 when it is durable."
      : "Submits a task of any stored workflow. 202 when it is durable.",
    isOpen: true,
    answers: {
      "200": { words: "It has ended: with `Prefer: wait`.", schema: ref("TaskResult") },
      "202": { words: "It is durable.", schema: ref("Accepted") },
    },
  });

/**
 * Submits tasks over HTTP. A task that was answered with 202 is durable, with all its steps. What waits for
 * the state store is bounded: beyond that a task is answered 503 at once. A task whose client is gone, or
 * that waited too long, is not written.
 */
export function submitRoutes(app: FastifyInstance, deps: Dependencies): void {
  const submitter = taskSubmitter(deps);
  app.refuseEarly({ method: "POST", isMeant, isOverloaded: () => submitter.isFull() });
  const submit = submitting(submitter, deps);

  const [everyDoor, ...doors] = doorsOf(deps.directory);
  app.post<{ Body: Static<typeof TaskBody> }>(
    everyDoor.path,
    { schema: { ...schemaOf(everyDoor), body: TaskBody } },
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

  for (const door of doors) {
    const schema = { ...schemaOf(door), params: Type.Object(door.params), body: Payload };
    app.post(door.path, { schema }, async (request, reply) => {
      const { headers, body: input } = request;
      const noun = await door.nounOf(request);
      const asked = { noun, workflow: noun.family ?? "", input, ...askedInHeaders(headers) };
      return submit(request, reply, asked);
    });
  }
}

/** Submits what a request asks for, and answers it. */
const submitting =
  (submitter: ReturnType<typeof taskSubmitter>, deps: Dependencies) =>
  async (
    request: FastifyRequest,
    reply: FastifyReply,
    said: Omit<Asked, "idempotencyKey" | "allowsUnknownAgents" | "learns">,
  ) => {
    const idempotencyKey = text(request.headers["idempotency-key"]);
    const asked = { ...said, idempotencyKey, allowsUnknownAgents: allowsUnknown(request.query) };
    for (const wish of wishesIn(asked)) deps.access.mustBeAllowed(request, wish);
    const accepted = await submitter.submit(
      { ...asked, learns: deps.access.learns(request), trace: request.span?.context ?? null },
      {
        bodyBytes: request.bodyBytes,
        onGone: (withdraw) => onGone(request.raw, reply.raw, withdraw),
      },
    );
    const { taskId } = accepted;
    request.span?.set({ "holdfast.task.id": taskId });
    if (accepted.kind === "replayed") void reply.header("idempotency-replayed", "true");
    void reply.header("location", `/v1/${asked.noun.plural}/${taskId}`);
    // The result of a task that was there before is for those who may read it.
    const isShown = accepted.kind === "created" || deps.access.mayRead(request);
    const patience = isShown ? preferredWait(request.headers["prefer"]) : null;
    if (patience !== null) {
      void reply.header("preference-applied", `wait=${patience / 1_000}`);
      await waitForResult(deps.waiter, request, reply, { taskId, patience });
      const makeRoom = roomForRows(request, reply);
      const as = { noun: asked.noun, reader: "stranger", makeRoom } as const;
      const task = await deps.tasks.withResult(await deps.tasks.show(taskId, as), makeRoom);
      if (task.finishedAt !== null) return sendResult(reply, task);
    }
    return reply.code(202).header("retry-after", "1").send({ id: taskId });
  };

const schemaOf = (door: Door) => ({
  ...describeSubmission(door),
  querystring: SubmitQuery,
  headers: door.isOfCollection ? CollectionHeaders : SubmitHeaders,
});

/** The body of a collection's route is the input, so the rest is in headers. */
const askedInHeaders = (headers: FastifyRequest["headers"]) => ({
  // `Priority` is taken: browsers and proxies send one of RFC 9218.
  priority: text(headers["task-priority"]),
  fairnessKey: text(headers["fairness-key"]),
  fairnessWeight: text(headers["fairness-weight"]),
  key: text(headers["task-key"]),
  labels: text(headers["task-labels"]),
  notBefore: text(headers["not-before"]),
  replyTo: text(headers["reply-to"]),
  correlationId: text(headers["correlation-id"]),
});

/** Of the requests that submit a task. */
const isMeant = (url: string): boolean => /^\/v1\/[^/]+$/.test(url);

const allowsUnknown = (query: unknown): boolean => {
  const { allowUnknownAgents } = query as Static<typeof SubmitQuery>;
  return allowUnknownAgents !== undefined && allowUnknownAgents !== "false";
};

const text = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join() : header;

/** From here on a beginning is late: for as long a business key can be held by a task that has not begun. */
const late = 30 * 24 * 60 * 60 * 1_000;

/** What a submission asks for that not everyone may. A value that is wrong asks for nothing: it is refused by itself. */
function wishesIn(
  asked: Pick<
    Asked,
    "priority" | "fairnessWeight" | "replyTo" | "allowsUnknownAgents" | "notBefore"
  >,
): readonly AnonymousWish[] {
  const { priority, fairnessWeight, replyTo, allowsUnknownAgents, notBefore } = asked;
  const wishes: AnonymousWish[] = [];
  if (priority === "urgent") wishes.push("urgent");
  if (fairnessWeight !== undefined && Number(fairnessWeight) > 1) wishes.push("weight");
  if (replyTo !== undefined) wishes.push("reply-to");
  if (allowsUnknownAgents) wishes.push("unknown-agents");
  if (typeof notBefore === "string" && Date.parse(notBefore) > Date.now() + late) {
    wishes.push("later");
  }
  return wishes;
}
