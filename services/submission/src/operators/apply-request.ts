import { limits } from "@holdfast/contracts";
import { type OperatorRefusal, operatorRefusalOf } from "@holdfast/domain";
import type {
  AttemptOfTask,
  EventOutcome,
  OperationsStore,
  ReportedTaskEvent,
  TaskRecord,
} from "@holdfast/state-store";
import type { onRequestAsyncHookHandler } from "fastify";
import { type Static, Type } from "typebox";
import type { Codes } from "../api/codes.ts";
import { describeAt, taskAt } from "../api/describe.ts";
import type { Door } from "../doors.ts";
import { codesOfTask, TaskParams, type Tasks } from "../find-tasks.ts";
import { codeAt, type Noun } from "../noun.ts";
import { invalidRequest, Problem } from "../problem.ts";
import type { MakeRoom } from "../room.ts";
import type { TaskResource } from "../task-resource.ts";
import { Wish } from "../wishes.ts";

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

const closed = { additionalProperties: false };
const requestFields = {
  ...Wish,
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.integer,
      description: "The version of the task that was seen: another one is refused. Or as If-Match.",
    }),
  ),
};
const RequestHeaders = Type.Object({
  "if-match": Type.Optional(
    Type.String({ description: "The ETag of the task, instead of its version in the body." }),
  ),
});
export const RequestBody = Type.Object(requestFields, closed);

/** The body of a route that takes more than each request of an operator has. */
export const requestBodyWith = <T extends Record<string, Type.TSchema>>(more: T) =>
  Type.Object({ ...requestFields, ...more }, closed);

type OperatorRequest = Static<typeof RequestBody> & {
  readonly noun: Noun;
  readonly ifMatch: string | undefined;
  readonly makeRoom: MakeRoom;
};

/** Applies the event that an operator asks for, and returns the task as it stands then. */
export type ApplyRequest = (
  task: TaskRecord,
  request: OperatorRequest,
  reportedEvent: Omit<ReportedTaskEvent, "taskId" | "expectedVersion">,
) => Promise<TaskResource>;

/** What the operators' routes of one door share. */
export interface OperatorDoor {
  readonly door: Door;
  readonly deps: OperatorDependencies;
  readonly onRequest: onRequestAsyncHookHandler[];
  /** The parameters of a route to one task. */
  readonly params: ReturnType<typeof taskParams>;
  readonly apply: ApplyRequest;
  /** What a route of that id is, for its schema. */
  readonly describe: (
    id: string,
    summary: string,
    codes?: Codes,
  ) => ReturnType<typeof describeAt> & {
    readonly headers: typeof RequestHeaders;
  };
}

export const operatorDoor = (door: Door, deps: OperatorDependencies): OperatorDoor => ({
  door,
  deps,
  // The token first: a stranger's request for a collection that does not exist would read the store.
  onRequest: [deps.onRequest, async (request) => void (await door.nounOf(request))],
  params: taskParams(door),
  apply: applyRequest(deps),
  describe: (id, summary, codes = {}) => ({
    ...describeAt(door, {
      id,
      summary,
      description:
        "Names the version of the task that the operator has seen: in the body, answered 409 if it has changed, or as If-Match, answered 412.",
      answers: { "200": { words: "The task as it stands then.", schema: taskAt(door) } },
      codes: {
        ...codesOfTask,
        ...codes,
        409: [...(Object.keys(refusals) as OperatorRefusal[]), ...(codes[409] ?? [])],
        412: ["task.changed"],
        404: [...(codesOfTask[404] ?? []), ...(codes[404] ?? [])],
      },
    }),
    headers: RequestHeaders,
  }),
});

const taskParams = (door: Door) => Type.Object({ ...door.params, ...TaskParams.properties });

const applyRequest =
  ({ store, tasks, cancel, hint }: OperatorDependencies): ApplyRequest =>
  async (task, request, reportedEvent) => {
    const { taskId } = task;
    const { noun, actor, reason: note } = request;
    const { version, isPrecondition } = seenVersion(request, task);
    const { outcomes, obsoleteAttempts } = await store.applyEvents(
      [{ ...reportedEvent, taskId, expectedVersion: version }],
      { actor, note },
    );
    mustBeApplied(outcomes[0], { noun, version, isPrecondition });
    cancel(obsoleteAttempts);
    hint();
    const { makeRoom } = request;
    return (await tasks.show(taskId, { noun, reader: "operator", makeRoom })).resource;
  };

/** The version that the operator has seen. Throws a 422 if the request names none, or two. */
function seenVersion(
  { ifMatch, version: inBody }: Pick<OperatorRequest, "ifMatch" | "version">,
  task: TaskRecord,
) {
  const inHeader = ifMatch === undefined ? undefined : versionOf(ifMatch, task);
  const version = inHeader ?? inBody;
  if (version !== undefined && (inBody ?? version) === version) {
    return { version, isPrecondition: inHeader !== undefined };
  }
  throw invalidRequest([
    {
      pointer: version === undefined ? "" : "/version",
      detail:
        version === undefined
          ? "must have the version of the task, as version or as If-Match"
          : "must be the same as If-Match",
    },
  ]);
}

/** The version that an ETag names; any, with `*`, is that which the task has. */
function versionOf(ifMatch: string, task: TaskRecord): number {
  if (ifMatch.trim() === "*") return task.version;
  const [, version] = /^"([1-9][0-9]{0,9})"$/.exec(ifMatch.trim()) ?? [];
  // An ETag that is none of ours matches no version.
  return Math.min(Number(version ?? limits.integer), limits.integer);
}

/** Why a task cannot be moved as asked, in words; `{task}` stands for what it is called. */
const refusals: Readonly<Record<OperatorRefusal, string>> = {
  "task.changed": "The {task} was changed meanwhile: read it again.",
  "task.not_usable":
    "The definition of its workflow, or its rows, were changed in the state store: restore them; see holdfast verify.",
  "task.finished": "The {task} has ended: nothing more can be done to it.",
  "task.wrong_goal":
    "The {task} is being undone already, or the step belongs to the other direction.",
  "task.not_in_error": "The step does not wait for an operator.",
  "task.not_pending":
    "The step does not wait to be tried: it is being worked on, done or not begun.",
  "task.not_delayed": "The step is due already: a Scheduler tries it as soon as it can.",
  "task.is_paused": "The {task} is paused: resume it, and its steps are tried at once.",
  "task.already_paused": "The {task} is paused already.",
  "task.not_paused": "The {task} is not paused.",
  "task.refused": "The {task} cannot be moved this way from where it stands.",
};

interface Expected {
  readonly noun: Noun;
  readonly version: number;
  /** The version was named by If-Match. */
  readonly isPrecondition: boolean;
}

/** Throws a 409, or a 412, that says why the task was not moved, unless it was. */
function mustBeApplied(
  outcome: EventOutcome | undefined,
  { noun, version, isPrecondition }: Expected,
): void {
  if (outcome?.applied) return;
  const code = operatorRefusalOf(outcome?.reason ?? "unknown_task");
  const detail = refusals[code].replaceAll("{task}", noun.singular);
  const status = isPrecondition && code === "task.changed" ? 412 : 409;
  throw new Problem(status, codeAt(noun, code), `${detail} You named version ${version}.`);
}
