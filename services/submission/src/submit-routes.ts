import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import {
  type AskedSubmission,
  askedInHeaders,
  collectionPattern,
  isReservedCollection,
  Payload,
  Submission,
  submissionHeaderSchemas,
} from "@holdfast/contracts";
import { type Json, parseWhen, resolveWhen } from "@holdfast/domain";
import { onGone } from "@holdfast/runtime/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, type TSchema, Type } from "typebox";
import type { Access, AnonymousPermission } from "./access/access.ts";
import { type Codes, codesOfSenders, mergedCodes } from "./api/codes.ts";
import { describe, ref } from "./api/describe.ts";
import { examples } from "./api/examples.ts";
import type { Tasks } from "./find-tasks.ts";
import { invalidRequest, noRoute } from "./problem.ts";
import { sendResult } from "./results/result-route.ts";
import type { ResultWaiter } from "./results/result-waiter.ts";
import { preferredWait, waitForResult } from "./results/wait-for-result.ts";
import { roomForRows } from "./room.ts";
import { codesOfHeaders } from "./submit-problems.ts";
import { type SubmitDependencies, type SubmitRequest, taskSubmitter } from "./submit-task.ts";
import type { WorkflowDirectory } from "./workflow-directory.ts";

/**
 * The body of `POST /v1/tasks` is the submission, but for its idempotency key, which is a header.
 */
const { idempotencyKey: _idempotencyKey, ...inBody } = Submission.properties;
const TaskBody = Type.Object(inBody, {
  additionalProperties: false,
  description: "The task to submit.",
  examples: [examples.submission],
});
/** The body of a collection is the input alone. */
const InputBody = Type.Unsafe<Json>({ ...Payload, description: "The input of the workflow." });
/** The query of a submission. It is not closed: what a proxy adds is no mistake of the client. */
const SubmitQuery = Type.Object({
  allowUnknownAgents: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false"), Type.Literal("")], {
      description: "Takes the task although one of its Agents has never announced itself.",
    }),
  ),
});

interface SubmitRouteDependencies extends SubmitDependencies {
  readonly tasks: Tasks;
  readonly waiter: ResultWaiter;
  readonly access: Access;
}

/** The headers of a submission, which say what is not in its body. */
const SubmitHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      description:
        "The same key stands for the same task, for HTTP_KEYS_KEPT_FOR: a day by default.",
    }),
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
/** HTTP has texts alone in its headers: what they must be, the submission says. */
const textAs = (schema: TSchema) => {
  const { description = "" } = schema as { readonly description?: string };
  return Type.Optional(Type.String({ description }));
};
const CollectionHeaders = Type.Object({
  ...SubmitHeaders.properties,
  ...Object.fromEntries(
    Object.entries(submissionHeaderSchemas).map(([name, schema]) => [name, textAs(schema)]),
  ),
  "reply-to": textAs(Submission.properties.replyTo),
  "correlation-id": textAs(Submission.properties.correlationId),
});

/** Why a submission is refused. */
const codes: Codes = {
  400: [...codesOfHeaders],
  403: ["access.denied", "task.submitter_unknown"],
  404: ["task.submission_refused", "task.unknown", "workflow.unknown"],
  409: ["task.key_in_use", "workflow.agents_unknown"],
  410: ["workflow.retired"],
  422: [
    "request.fairness_invalid",
    "request.idempotency_key_reused",
    "request.priority_invalid",
    "task.invalid",
    "task.result_too_large",
  ],
  500: ["workflow.unusable"],
  503: ["request.withdrawn"],
};

const describeSubmission = (who: { id: string; tag: "tasks" | "collections"; summary: string }) =>
  describe({
    ...who,
    isOpen: true,
    answers: {
      "200": {
        words: "It has ended: with `Prefer: wait`.",
        schema: ref("TaskResult"),
        headers: ["location", "etag", "idempotency-replayed", "preference-applied"],
      },
      "202": {
        words: "It is durable.",
        schema: ref("Accepted"),
        headers: ["location", "retry-after", "idempotency-replayed", "preference-applied"],
      },
    },
    codes: mergedCodes([codes, codesOfSenders]),
  });

/**
 * Submits tasks over HTTP. A task that was answered with 202 is durable, with all its steps. What
 * waits for the state store is bounded: beyond that a task is answered 503 at once. A task whose
 * client is gone, or that waited too long, is not written.
 */
export function submitRoutes(app: FastifyInstance, deps: SubmitRouteDependencies): void {
  const submitter = taskSubmitter(deps);
  app.refuseEarly({ method: "POST", isMeant, isOverloaded: () => submitter.isFull() });
  const submit = submitting(submitter, deps);

  app.post<{ Body: Static<typeof TaskBody> }>(
    "/v1/tasks",
    {
      schema: {
        ...describeSubmission({
          id: "submitTask",
          tag: "tasks",
          summary: "Submits a task of any stored workflow. 202 when it is durable.",
        }),
        querystring: SubmitQuery,
        headers: SubmitHeaders,
        body: TaskBody,
      },
      onRequest: deps.access.toSubmit,
    },
    (request, reply) => {
      const idempotencyKey = text(request.headers["idempotency-key"]);
      return submit(request, reply, { ...request.body, idempotencyKey });
    },
  );

  // The one route of a collection: all else about its tasks is below /v1/tasks.
  app.post<{ Params: Static<typeof CollectionParams> }>(
    "/v1/:collection",
    {
      schema: {
        ...describeSubmission({
          id: "submitTaskOfCollection",
          tag: "collections",
          summary:
            "Submits a task of the workflow that has the collection. 202 when it is durable.",
        }),
        params: CollectionParams,
        querystring: SubmitQuery,
        headers: CollectionHeaders,
        body: InputBody,
      },
      onRequest: deps.access.toSubmit,
    },
    async (request, reply) => {
      const { headers, body: input } = request;
      return submit(request, reply, {
        workflow: await workflowOf(request, deps.directory),
        input,
        ...askedInHeaders((name) => textIn(headers, name)),
        replyTo: text(headers["reply-to"]),
        correlationId: text(headers["correlation-id"]),
        idempotencyKey: text(headers["idempotency-key"]),
      });
    },
  );
}

const CollectionParams = Type.Object({
  collection: Type.String({
    maxLength: 100,
    description: "The noun of a workflow's tasks, such as orders.",
  }),
});

const isCollection = new RegExp(collectionPattern);

/**
 * The workflow that has the collection of a request. Throws a 404 where there is no such
 * collection.
 */
async function workflowOf(
  request: FastifyRequest<{ Params: Static<typeof CollectionParams> }>,
  directory: Pick<WorkflowDirectory, "workflowOf">,
): Promise<string> {
  const { collection } = request.params;
  const found = isCollection.test(collection) ? await directory.workflowOf(collection) : null;
  if (found === null) throw noRoute(request);
  return found;
}

/** Submits what a request asks for, and answers it. */
const submitting =
  (submitter: ReturnType<typeof taskSubmitter>, deps: SubmitRouteDependencies) =>
  async (request: FastifyRequest, reply: FastifyReply, submission: SubmitRequest["submission"]) => {
    const asked = { submission, allowsUnknownAgents: allowsUnknown(request.query) };
    for (const permission of permissionsFor(asked)) deps.access.mustBeAllowed(request, permission);
    const accepted = await submitter.submit(
      {
        ...asked,
        learns: deps.access.learns(request),
        submittedBy: request.principal?.id ?? null,
        trace: request.span?.context ?? null,
      },
      {
        bodyBytes: request.bodyBytes,
        onGone: (withdraw) => onGone(request.raw, reply.raw, withdraw),
      },
    );
    const { taskId } = accepted;
    request.span?.set({ "holdfast.task.id": taskId });
    if (accepted.kind === "replayed") void reply.header("idempotency-replayed", "true");
    void reply.header("location", `/v1/tasks/${taskId}`);
    // The result of a task that was there before is for those who may read it.
    const isShown = accepted.kind === "created" || deps.access.mayRead(request);
    const timeout = isShown ? preferredWait(request.headers["prefer"]) : null;
    if (timeout !== null) {
      void reply.header("preference-applied", `wait=${timeout / 1_000}`);
      await waitForResult(deps.waiter, request, reply, { taskId, timeout });
      const makeRoom = roomForRows(request, reply);
      const as = { reader: "stranger", makeRoom } as const;
      const task = await deps.tasks.withResult(await deps.tasks.show(taskId, as), makeRoom);
      if (task.finishedAt !== null) return sendResult(reply, task);
    }
    return reply.code(202).header("retry-after", "1").send({ id: taskId });
  };

/**
 * Whether a request submits a task: at /v1/tasks or at a collection, and not at another route of
 * ours.
 */
function isMeant(url: string): boolean {
  const noun = /^\/v1\/([^/?]+)(?:\?|$)/.exec(url)?.[1];
  return noun !== undefined && (noun === "tasks" || !isReservedCollection(noun));
}

const allowsUnknown = (query: unknown): boolean => {
  const { allowUnknownAgents } = query as Static<typeof SubmitQuery>;
  return allowUnknownAgents !== undefined && allowUnknownAgents !== "false";
};

const text = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join() : header;

/**
 * The text of a header that may have letters of any alphabet, in UTF-8. Node has a character for
 * each of its bytes.
 */
function textIn(headers: IncomingHttpHeaders, name: string): string | undefined {
  const given = text(headers[name]);
  if (given === undefined || !/[\u0080-\u00ff]/.test(given)) return given;
  const bytes = Buffer.from(given, "latin1");
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw invalidRequest([{ pointer: `/${name}`, detail: "is not in UTF-8" }], "head");
}

/**
 * The delay from which on a beginning is late: for as long a business key can be held by a task
 * that has not begun.
 */
const late = 30 * 24 * 60 * 60 * 1_000;

const weightIn = (fairness: AskedSubmission["fairness"]): number =>
  Number((fairness as { readonly weight?: unknown } | undefined)?.weight ?? 1);

/**
 * What a submission asks for that not everyone may. A value that is wrong asks for nothing: it is
 * refused by itself.
 */
function permissionsFor({
  submission: { priority, fairness, replyTo, notBefore },
  allowsUnknownAgents,
}: Pick<SubmitRequest, "submission" | "allowsUnknownAgents">): readonly AnonymousPermission[] {
  const permissions: AnonymousPermission[] = [];
  if (priority === "urgent") permissions.push("urgent");
  if (weightIn(fairness) > 1) permissions.push("weight");
  if (replyTo !== undefined) permissions.push("reply-to");
  if (allowsUnknownAgents) permissions.push("unknown-agents");
  const begin = typeof notBefore === "string" ? parseWhen(notBefore) : null;
  const now = Date.now();
  if (begin !== null && resolveWhen(begin, now) > now + late) permissions.push("later");
  return permissions;
}
