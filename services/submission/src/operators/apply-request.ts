import { limits } from "@holdfast/contracts";
import type {
  AttemptOfTask,
  ReportedTaskEvent,
  StateStore,
  TaskRecord,
} from "@holdfast/state-store";
import type { onRequestAsyncHookHandler } from "fastify";
import { type Static, Type } from "typebox";
import type { Door } from "../doors.ts";
import { TaskParams, type Tasks } from "../find-tasks.ts";
import type { Noun } from "../noun.ts";
import type { TaskResource } from "../task-resource.ts";
import { Wish } from "../wishes.ts";
import { mustBeApplied } from "./must-be-applied.ts";

export interface OperatorDependencies {
  readonly store: Pick<StateStore, "applyEvents" | "findWorkflow">;
  readonly tasks: Tasks;
  /** Lets only operators pass. */
  readonly onRequest: onRequestAsyncHookHandler;
  /** Wakes the Schedulers: there may be something to claim. */
  readonly hint: () => void;
  /** Asks Agents to stop attempts whose results no longer matter. */
  readonly cancel: (obsoleteAttempts: readonly AttemptOfTask[]) => void;
}

const closed = { additionalProperties: false };
/** The version of the task that the operator has seen: another one is refused. */
const requestFields = { ...Wish, version: Type.Integer({ minimum: 1, maximum: limits.integer }) };
export const RequestBody = Type.Object(requestFields, closed);

/** The body of a route that takes more than each request of an operator has. */
export const requestBodyWith = <T extends Record<string, Type.TSchema>>(more: T) =>
  Type.Object({ ...requestFields, ...more }, closed);

type OperatorRequest = Static<typeof RequestBody> & { readonly noun: Noun };

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
  /** Of a route to one task. */
  readonly params: ReturnType<typeof taskParams>;
  readonly apply: ApplyRequest;
}

export const operatorDoor = (door: Door, deps: OperatorDependencies): OperatorDoor => ({
  door,
  deps,
  // A collection that does not exist is answered first, alike for everyone.
  onRequest: [async (request) => void (await door.nounOf(request)), deps.onRequest],
  params: taskParams(door),
  apply: applyRequest(deps),
});

const taskParams = (door: Door) => Type.Object({ ...door.params, ...TaskParams.properties });

const applyRequest =
  ({ store, tasks, cancel, hint }: OperatorDependencies): ApplyRequest =>
  async ({ taskId }, { noun, actor, reason: note, version }, reportedEvent) => {
    const { outcomes, obsoleteAttempts } = await store.applyEvents(
      [{ ...reportedEvent, taskId, expectedVersion: version }],
      { actor, note },
    );
    mustBeApplied(outcomes[0], { noun, version });
    cancel(obsoleteAttempts);
    hint();
    return tasks.show(taskId, noun);
  };
