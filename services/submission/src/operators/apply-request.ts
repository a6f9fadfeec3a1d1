import { limits } from "@holdfast/contracts";
import { type OperatorRefusal, operatorRefusalOf } from "@holdfast/domain";
import type {
  AttemptOfTask,
  EventOutcome,
  OperationsStore,
  ReportedTaskEvent,
  TaskRecord,
} from "@holdfast/state-store";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { type Static, Type } from "typebox";
import { ActBody, actFields } from "../act-body.ts";
import type { Codes } from "../api/codes.ts";
import { describe, ref } from "../api/describe.ts";
import { codesOfTask, TaskParams, type Tasks } from "../find-tasks.ts";
import { Problem } from "../problem.ts";
import { roomForRows } from "../room.ts";

export interface OperatorDependencies {
  readonly store: OperationsStore;
  readonly tasks: Tasks;
  /** Lets only operators pass. */
  readonly onRequest: onRequestAsyncHookHandler;
  /** Wakes the Schedulers: there may be something to claim. */
  readonly hint: () => void;
  /** Asks Agents to stop attempts whose results no longer matter. */
  readonly cancel: (obsoleteAttempts: readonly AttemptOfTask[]) => void;
}

const RequestHeaders = Type.Object({
  "if-match": Type.Optional(
    Type.String({
      description:
        "The ETag of the task that was seen; `*` for any. Required: 428 without, 412 if the task has changed.",
    }),
  ),
});

/** The body of a route that takes more than each request of an operator has. */
export const requestBodyWith = <T extends Record<string, Type.TSchema>>(more: T) =>
  Type.Object({ ...actFields, ...more }, { additionalProperties: false });

type Reported = Omit<ReportedTaskEvent, "taskId" | "expectedVersion">;

/** A route by which operators move a task. */
interface OperatorRoute<Body> {
  /** The end of its path, after that of the task. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly codes?: Codes;
  /** Parameters of its path, beside the id of the task. */
  readonly params?: Readonly<Record<string, ReturnType<typeof Type.String>>>;
  /** The schema of its body: who, and why, unless it takes more. */
  readonly body?: Type.TSchema;
  /** What a request reports. Throws a `Problem` for one that cannot be meant. */
  readonly reports: (
    task: TaskRecord,
    asked: { readonly body: Body; readonly params: Readonly<Record<string, string>> },
  ) => Reported | Promise<Reported>;
}

/** Adds a route by which operators move a task, and which answers the task as it stands then. */
export function operatorRoute<Body extends Static<typeof ActBody>>(
  app: FastifyInstance,
  deps: OperatorDependencies,
  { path, id, summary, codes = {}, params = {}, body = ActBody, reports }: OperatorRoute<Body>,
): void {
  const { tasks, onRequest } = deps;
  const schema = {
    ...describe({
      id,
      tag: "tasks",
      summary,
      description:
        "If-Match names the version of the task that the operator has seen, so that a second request of the same kind moves nothing.",
      answers: {
        "200": { words: "The task as it stands then.", schema: ref("Task"), headers: ["etag"] },
      },
      codes: {
        ...codesOfTask,
        ...codes,
        404: [...(codesOfTask[404] ?? []), ...(codes[404] ?? [])],
        409: [...refusedAs409, ...(codes[409] ?? [])],
        412: ["task.changed"],
        428: ["request.precondition_required"],
      },
    }),
    headers: RequestHeaders,
    params: Type.Object({ ...TaskParams.properties, ...params }),
    body,
  };
  app.post<{ Params: { readonly id: string }; Body: Body }>(
    `/v1/tasks/:id/${path}`,
    { onRequest, schema },
    async (request, reply) => {
      const asked = request.body as Body;
      const seen = mustSayVersion(request.headers["if-match"]);
      const makeRoom = roomForRows(request, reply);
      const { task } = await tasks.find(request.params.id, makeRoom);
      const version = versionOf(seen, task);
      // Before anything else is said of the task as it stands: what is asked for was meant for
      // another.
      if (version !== task.version) throw refusal("task.changed", version);
      await apply(deps, task, {
        version,
        act: asked,
        reported: await reports(task, { body: asked, params: { ...request.params } }),
      });
      const { resource } = await tasks.show(task.taskId, { reader: "operator", makeRoom });
      void reply.header("etag", `"${resource.version}"`);
      return resource;
    },
  );
}

interface Applying {
  /** The version that the operator has seen. */
  readonly version: number;
  readonly act: Static<typeof ActBody>;
  readonly reported: Reported;
}

/** Applies the event that an operator asks for. */
async function apply(
  { store, cancel, hint }: OperatorDependencies,
  { taskId }: TaskRecord,
  { version, act: { actor, reason: note }, reported }: Applying,
): Promise<void> {
  const { outcomes, obsoleteAttempts } = await store.applyEvents(
    [{ ...reported, taskId, expectedVersion: version }],
    { actor, note },
  );
  mustBeApplied(outcomes[0], version);
  cancel(obsoleteAttempts);
  hint();
}

/** The precondition of a request. Throws a 428 for one that has none. */
function mustSayVersion(ifMatch: string | undefined): string {
  if (ifMatch !== undefined) return ifMatch;
  throw new Problem(
    428,
    "request.precondition_required",
    "Say which version of the task you have seen: send its ETag as If-Match, or * for any.",
  );
}

/**
 * An ETag of ours, also as a proxy has changed it that compresses answers: nginx makes it weak,
 * Apache and others name the encoding in it. It names the version of the task all the same.
 */
const etag = /^(?:W\/)?"([1-9][0-9]{0,9})(?:[-;](?:gzip|br|zstd|deflate))?"$/;

/**
 * The version that one of these ETags names, that of the task if any does; with `*` it is that
 * which the task has.
 */
function versionOf(ifMatch: string, task: TaskRecord): number {
  if (ifMatch.trim() === "*") return task.version;
  const named = ifMatch.split(",").map((one) => Number(etag.exec(one.trim())?.[1] ?? Number.NaN));
  if (named.includes(task.version)) return task.version;
  // An ETag that is none of ours matches no version.
  const [first = Number.NaN] = named;
  return Number.isNaN(first) ? limits.integer : Math.min(first, limits.integer);
}

/** Why a task cannot be moved as asked, in words. */
const refusals: Readonly<Record<OperatorRefusal, string>> = {
  "task.changed": "The task was changed meanwhile: read it again.",
  "task.not_usable":
    "The definition of its workflow, or its rows, were changed in the state store: restore them; see holdfast verify.",
  "task.finished": "The task has ended: nothing more can be done to it.",
  "task.wrong_goal":
    "The task is being undone already, or the step belongs to the other direction.",
  "task.not_in_error": "The step does not wait for an operator.",
  "task.not_awaiting": "The step does not wait: it has not begun to, or its wait is over.",
  "task.needs_decision":
    "The step is for its audience to decide, and no operator decides in their place: have them decide, or cancel the task.",
  "task.needs_signal":
    "The step waits for a signal that later steps need: send it, or cancel the task.",
  "task.no_attempt":
    "The step asks no Agent, so there is no attempt to be made again: resolve it, or cancel the task.",
  "task.not_pending":
    "The step does not wait to be tried: it is being worked on, done or not begun.",
  "task.not_delayed": "The step is due already: a Scheduler tries it as soon as it can.",
  "task.is_paused": "The task is paused: resume it, and its steps are tried at once.",
  "task.already_paused": "The task is paused already.",
  "task.not_paused": "The task is not paused.",
  "task.refused": "The task cannot be moved this way from where it stands.",
};

/**
 * Refusals that the state of a task is to blame for, and not that it has changed since it was seen.
 */
const refusedAs409 = (Object.keys(refusals) as OperatorRefusal[]).filter(
  (code) => code !== "task.changed",
);

/** Throws what says why the task was not moved, unless it was. */
function mustBeApplied(outcome: EventOutcome | undefined, version: number): void {
  if (outcome?.applied) return;
  throw refusal(operatorRefusalOf(outcome?.reason ?? "unknown_task"), version);
}

/** A 409, or a 412 for a task that has changed since the version that was named. */
const refusal = (code: OperatorRefusal, version: number): Problem =>
  new Problem(
    code === "task.changed" ? 412 : 409,
    code,
    `${refusals[code]} You named version ${version}.`,
  );
