import { limits, Submission } from "@holdfast/contracts";
import { durationPattern, type Json, type Milliseconds, parseDuration } from "@holdfast/domain";
import { batchCalls, type Clock, systemClock } from "@holdfast/runtime";
import { onGone } from "@holdfast/runtime/http";
import type { NewSignal, StoredSignal, SubmissionStore } from "@holdfast/state-store";
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
} from "fastify";
import { type Static, Type } from "typebox";
import type { Access } from "./access/access.ts";
import { storableName } from "./act-body.ts";
import { codesOfOperators, mergedCodes } from "./api/codes.ts";
import { describe, ref } from "./api/describe.ts";
import { examples } from "./api/examples.ts";
import { pageFields, sizeOf } from "./api/pages.ts";
import { rowNumber } from "./api/query-parts.ts";
import { type ById, codesOfTask, TaskParams, type Tasks } from "./find-tasks.ts";
import { invalidRequest, Problem } from "./problem.ts";
import { pageInRoom, roomForRows } from "./room.ts";
import {
  type AskedSignal,
  longestHold,
  type SignalDependencies,
  type SignalSender,
  signalCodes,
  signalSender,
  type TakenSignal,
} from "./send-signal.ts";
import type { SubmitDependencies } from "./submit-task.ts";
import { senderFor } from "./task-resource.ts";

interface SignalRouteDependencies extends SignalDependencies {
  readonly access: Access;
  /** The name of this process: who sends what comes without a name. */
  readonly actor: string;
  /** What may wait for the state store, as for submissions. */
  readonly waiting?: SubmitDependencies["waiting"];
  readonly clock?: Clock;
  /** The guards of the routes that send; none where tasks are taken of everyone. */
  readonly onRequest: readonly onRequestAsyncHookHandler[];
}

const signalName = Type.String({
  minLength: 1,
  maxLength: limits.name,
  description: "The name of the signal, as the workflow has it.",
});
const idWords =
  "The signal's own id, such as that of the event that it tells of: the same once more is the same signal.";
const payload = Type.Unsafe<Json>({
  ...Submission.properties.input,
  description: "What the signal carries, by the schema that the workflow has for it; ≤ 64 KiB.",
});
const actor = Type.Optional(
  Type.String({
    ...storableName,
    description: "Who sends it by hand: kept with it where the operators' token is shown.",
  }),
);

const SignalBody = Type.Object(
  { payload, actor },
  {
    additionalProperties: false,
    description: "The signal to send.",
    examples: [examples.signal],
  },
);

const SignalHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({ description: `${idWords} A new one unless it is set.` }),
  ),
});

const KeyedBody = Type.Object(
  {
    workflow: Submission.properties.workflow,
    businessKey: Type.String({
      minLength: 1,
      maxLength: limits.property,
      description: "The business key of the task.",
    }),
    payload,
    id: Type.String({ minLength: 1, maxLength: limits.property, description: idWords }),
    holdFor: Type.Optional(
      Type.String({
        maxLength: 15,
        pattern: durationPattern,
        description:
          "How long it is held for a task that is still to come, such as 7d: at most 30 days. Without it, it is for the last task of the key.",
      }),
    ),
    actor,
  },
  {
    additionalProperties: false,
    description: "The signal to send, and the key of the task that it is for.",
    examples: [examples.signalByKey],
  },
);

/**
 * Sends signals to tasks. Who may submit may send them, and operators may where no tasks are taken.
 * One that was answered with 202 is durable. Those that arrive during one transaction share the
 * next.
 */
export function signalRoutes(app: FastifyInstance, deps: SignalRouteDependencies): void {
  const sender = signalSender(deps);
  const send = sending(sender, deps);
  sendRoute(app, deps, send);
  byKeyRoute(app, deps, { sender, send });
}

/** The codes of the routes that send, with those of processes where only operators may. */
const codesOfSending = mergedCodes([signalCodes, codesOfOperators, { 503: ["request.withdrawn"] }]);

/** Sends one signal for a request. Throws a `Problem` for one that is refused. */
type Send = (
  request: FastifyRequest,
  reply: FastifyReply,
) => (taskId: string, asked: AskedSignal) => Promise<TakenSignal>;

/** How many signals share one transaction at most. */
const batch = 200;
/** Bytes of all signals that wait. */
const bytesWaiting = 16 * 1024 * 1024;
/** Seconds after which a task may have taken some of its signals. */
const tooManyFor = 60;

/** Writes those that arrive during one transaction in the next. What waits is bounded. */
function sending(
  sender: SignalSender,
  { waiting = { tasks: 200, timeout: 10_000 }, clock = systemClock }: SignalRouteDependencies,
): Send {
  const writing = batchCalls((signals: readonly NewSignal[]) => sender.write(signals), {
    max: batch,
    maxWaiting: { items: waiting.tasks, bytes: bytesWaiting },
    timeout: waiting.timeout,
    clock,
  });
  return (request, reply) => async (taskId, asked) => {
    const signal = await sender.read(taskId, asked);
    request.span?.set({ "holdfast.task.id": taskId });
    const { result, withdraw } = writing.add(signal, request.bodyBytes);
    onGone(request.raw, reply.raw, withdraw);
    const taken = await result;
    if (!(taken instanceof Problem)) return taken;
    if (taken.status === 429) void reply.header("retry-after", String(tooManyFor));
    throw taken;
  };
}

const accepted = (schema: string) => ({
  "200": {
    words: "It was sent before: the first answer again.",
    schema: ref(schema),
    headers: ["idempotency-replayed"] as const,
  },
  "202": { words: "It is durable.", schema: ref(schema) },
});

function sendRoute(app: FastifyInstance, deps: SignalRouteDependencies, send: Send): void {
  const schema = {
    ...describe({
      id: "sendSignal",
      tag: "tasks",
      summary:
        "Sends a signal to a task, for which a step waits or will wait. 202 when it is durable.",
      description:
        "It is held to the schema that the task's own version of the workflow has for it, kept with the task, and taken by one step. One that comes too late for any step is kept all the same, and answered 409.",
      isOpen: true,
      answers: accepted("SignalAccepted"),
      codes: codesOfSending,
    }),
    params: Type.Object({ ...TaskParams.properties, name: signalName }),
    headers: SignalHeaders,
    body: SignalBody,
  };
  app.post<{
    Params: { readonly id: string; readonly name: string };
    Body: Static<typeof SignalBody>;
  }>(
    "/v1/tasks/:id/signals/:name",
    { schema, onRequest: [...deps.onRequest, ...deps.access.toSubmit] },
    async (request, reply) => {
      const { params, headers, body } = request;
      const { id: taskId, name } = params;
      const id = text(headers["idempotency-key"]) ?? crypto.randomUUID();
      const sentBy = senderOf(request, body.actor, deps);
      const taken = await send(request, reply)(taskId, { name, id, payload: body.payload, sentBy });
      return answer(reply, taken).send({ id, name, ...taken });
    },
  );
}

/** 200 for what was sent before, 202 for what is new. */
const answer = (reply: FastifyReply, { replayed }: { readonly replayed: boolean }): FastifyReply =>
  replayed ? reply.code(200).header("idempotency-replayed", "true") : reply.code(202);

function byKeyRoute(
  app: FastifyInstance,
  deps: SignalRouteDependencies,
  { sender, send }: { readonly sender: SignalSender; readonly send: Send },
): void {
  const { access } = deps;
  const schema = {
    ...describe({
      id: "sendSignalByKey",
      tag: "tasks",
      summary: "Sends a signal to the task of a business key, or holds it for one to come.",
      description:
        "It goes to the task that has the key, or had it last. With `holdFor`, it goes to an open one alone; if there is none, it is held for the next, which gets it as it is submitted. Keys can be guessed: without the operators' token this needs `read-by-key` in `ANONYMOUS_MAY`.",
      isOpen: true,
      answers: accepted("SignalByKeyAccepted"),
      codes: mergedCodes([codesOfSending, { 404: ["workflow.unknown"] }]),
    }),
    params: Type.Object({ name: signalName }),
    body: KeyedBody,
  };
  const onRequest = [
    ...deps.onRequest,
    ...access.toSubmit,
    async (request: FastifyRequest) => access.mustBeAllowed(request, "read-by-key"),
  ];
  app.post<{ Params: { readonly name: string }; Body: Static<typeof KeyedBody> }>(
    "/v1/signals/:name",
    { schema, onRequest },
    async (request, reply) => {
      const { body, params } = request;
      const { name } = params;
      const { id, workflow, businessKey: key } = body;
      const asked = {
        name,
        id,
        payload: body.payload,
        sentBy: senderOf(request, body.actor, deps),
        workflow,
        key,
        holdFor: readHold(body.holdFor),
        learnsNames: access.learns(request).workflowNames,
      };
      const taken = await sender.toKey(asked, send(request, reply));
      const { replayed } = taken;
      const [taskId, at, heldUntil] =
        taken.kind === "sent" ? [taken.taskId, taken.at, null] : [null, null, taken.until];
      return answer(reply, taken).send({ id, name, taskId, at, heldUntil, replayed });
    },
  );
}

/** Milliseconds for which a signal is held; null: it is not. */
function readHold(asked: string | undefined): Milliseconds | null {
  if (asked === undefined) return null;
  const holdFor = parseDuration(asked);
  if (holdFor >= 1 && holdFor <= longestHold) return holdFor;
  throw invalidRequest([{ pointer: "/holdFor", detail: "must be more than 0, and at most 30d" }]);
}

/**
 * Who sends a signal: the principal, or the name for which the operators' token vouches, or this
 * process.
 */
function senderOf(
  request: FastifyRequest,
  named: string | undefined,
  { access, actor: process }: SignalRouteDependencies,
): string {
  if (request.principal !== null) return request.principal.id;
  return named !== undefined && access.readerOf(request) === "operator" ? named : process;
}

const text = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join() : header;

interface ListDependencies {
  readonly store: Pick<SubmissionStore, "findSignals">;
  readonly tasks: Pick<Tasks, "mustExist">;
  readonly access: Pick<Access, "readerOf" | "toRead">;
}

/** Signals of a page. */
const pages = { usual: 100, most: 1_000 };

const ListQuery = Type.Object(pageFields(pages, rowNumber), { additionalProperties: false });

/** Shows the signals of a task to those who may see the task. */
export function listSignalsRoute(
  app: FastifyInstance,
  { store, tasks, access }: ListDependencies,
): void {
  const schema = {
    ...describe({
      id: "listSignals",
      tag: "tasks",
      summary: "The signals that were sent to the task, oldest first, and which step took each.",
      isOpen: true,
      description: "A page at a time; a page of long payloads has fewer signals than it may have.",
      answers: { "200": { words: "A page, oldest first.", schema: ref("Signals") } },
      codes: codesOfTask,
    }),
    params: TaskParams,
    querystring: ListQuery,
  };
  const onRequest = access.toRead;
  app.get<ById & { readonly Querystring: Static<typeof ListQuery> }>(
    "/v1/tasks/:id/signals",
    { schema, onRequest },
    async (request, reply) => {
      const { id: taskId } = request.params;
      const { limit, after = null } = request.query;
      await tasks.mustExist(taskId);
      const query = { taskId, after, most: sizeOf(limit, pages) };
      const { items, next } = await pageInRoom(roomForRows(request, reply), (mostBytes) =>
        store.findSignals({ ...query, mostBytes }),
      );
      const principal = request.principal?.id ?? null;
      const as = { reader: access.readerOf(request), principal };
      return { items: items.map((signal) => signalResource(signal, as)), next };
    },
  );
}

/** A signal as its reader may see it. */
const signalResource = (signal: StoredSignal, as: Parameters<typeof senderFor>[0]) => ({
  ...signal,
  sentBy: senderFor(as, signal.sentBy),
});
