import type { InputOf, Schema, Workflow } from "@holdfast/workflow";
import type { components, paths } from "./openapi.ts";

type Schemas = components["schemas"];

export type Task = Schemas["Task"];
export type Step = Schemas["Step"];
export type ListedTask = Schemas["ListedTask"];
export type TaskPage = Schemas["TaskPage"];
export type TaskCount = Schemas["TaskCount"];
export type TaskState = Task["state"];
export type Signal = Schemas["Signal"];
export type SignalAccepted = Schemas["SignalAccepted"];
export type SignalByKeyAccepted = Schemas["SignalByKeyAccepted"];
export type Schedule = Schemas["StoredSchedule"];
export type ListedSchedule = Schemas["ListedSchedule"];
export type ScheduleInstants = Schemas["ScheduleInstants"];
export type ScheduleFire = Schemas["ScheduleFire"];
export type ScheduleFires = Schemas["ScheduleFires"];
export type ScheduleFired = Schemas["ScheduleFired"];
export type ScheduleBackfilled = Schemas["ScheduleBackfilled"];
export type OpenApproval = Schemas["OpenApproval"];
export type ApprovalPage = Schemas["OpenApprovals"];
export type Approval = Schemas["Approval"];
export type DecisionCounted = Schemas["DecisionCounted"];
export type HistoryEntry = Schemas["HistoryEntry"];
export type Explanation = Schemas["Explanation"];
export type Attempts = Schemas["Attempts"];
export type Examination = Schemas["Examination"];
export type Verification = Schemas["Verification"];
export type StoredWorkflow = Schemas["StoredWorkflow"];
export type WorkflowStored = Schemas["WorkflowStored"];
export type ListedWorkflow = Schemas["Workflow"];
export type Agent = Schemas["Agent"];
export type Pause = Schemas["PauseRecord"];
export type Remote = Schemas["Remote"];
export type Overview = Schemas["Overview"];
export type Statistics = Schemas["Statistics"];
export type Failures = Schemas["Failures"];

type QueryOf<Path extends "/v1/statistics" | "/v1/failures"> = NonNullable<
  paths[Path]["get"]["parameters"]["query"]
>;
/** The range of time, and the workflow; the last day of everything, unless it is said. */
export type StatisticsQuery = QueryOf<"/v1/statistics">;
export type FailuresQuery = QueryOf<"/v1/failures">;

export type System = Schemas["System"];
export type DeadLetter = Schemas["DeadLetter"];
export type DeadLetterPage = Schemas["DeadLetterPage"];
export type DeadLetterAction = Schemas["DeadLetterActions"]["items"][number];

/** What the stream of all tasks has. */
export type Change =
  | {
      readonly event: "changed";
      /** Tasks as they are now, the latest first, 200 at most. */
      readonly tasks: readonly Pick<
        ListedTask,
        "id" | "workflow" | "state" | "version" | "updatedAt"
      >[];
      /** The number of tasks that changed besides. */
      readonly more: number;
    }
  | { readonly event: "tick"; readonly at: string; readonly overview: Overview };

export type BulkOperation = Schemas["BulkOperation"];
export type BulkOperationPage = Schemas["BulkOperationPage"];
export type BulkItem = Schemas["BulkItem"];
export type BulkItemPage = Schemas["BulkItemPage"];
export type BulkForecast = Schemas["BulkForecast"];

/** A bulk operation as the service takes it. */
export type NewBulkOperation =
  paths["/v1/bulk-operations"]["post"]["requestBody"]["content"]["application/json"];

/**
 * Changes of an input, by RFC 6902 (JSON Patch): `[{ op: "replace", path: "/iban", value: "DE02…"
 * }]`. All of them are made, or none.
 */
export type InputPatch = readonly NonNullable<
  paths["/v1/tasks/{id}/resubmit"]["post"]["requestBody"]["content"]["application/json"]["patch"]
>[number][];

/** A search as the service takes it: `{ filter, limit, after }`. */
export type SearchQuery = NonNullable<
  paths["/v1/tasks/search"]["post"]["requestBody"]
>["content"]["application/json"];

/** What a list is filtered by; a label `x` is `label.x`. */
export type ListFilter = Omit<
  NonNullable<paths["/v1/tasks"]["get"]["parameters"]["query"]>,
  "limit" | "after"
> & { readonly [label: `label.${string}`]: string };

/** A workflow by its name, or as `defineWorkflow` returns it: then input and result have types. */
export type AnyWorkflow = string | Workflow<Schema>;
export type InputFor<W extends AnyWorkflow> = W extends Workflow<infer S> ? InputOf<S> : unknown;
export type ResultFor<W extends AnyWorkflow> =
  W extends Workflow<Schema, infer Output> ? Output : unknown;

declare const result: unique symbol;

/** A task that was submitted. Its type knows what it results in. */
export interface TaskRef<Output = unknown> {
  readonly id: string;
  readonly [result]?: Output;
}

/** How a task stands: with its result once it is processed. */
export type TaskResult<Output = unknown> =
  | {
      readonly id: string;
      readonly state: "processed";
      readonly result: Output;
      readonly faultCode: null;
    }
  | {
      readonly id: string;
      readonly state: "undone";
      readonly result: null;
      readonly faultCode: string | null;
    }
  | {
      readonly id: string;
      readonly state: Exclude<TaskState, "processed" | "undone">;
      readonly result: null;
      readonly faultCode: string | null;
    };

/** A duration such as `30s` or `5m`, or milliseconds. */
export type Wait = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

type SubmitBody = paths["/v1/tasks"]["post"]["requestBody"]["content"]["application/json"];

/**
 * What a task may be submitted with beside its input: fields of the body, headers, and how it is
 * asked for.
 */
export interface SubmitOptions extends Omit<SubmitBody, "workflow" | "input" | "notBefore"> {
  /**
   * The key that stands for this task: the same key is the same task. A new one for each call
   * unless said otherwise: repetitions share it.
   */
  readonly idempotencyKey?: string;
  /** When its first steps become due. */
  readonly notBefore?: Date | string;
  /** Takes the task although an Agent of it has never announced itself. */
  readonly allowUnknownAgents?: boolean;
  readonly signal?: AbortSignal;
}

/** Which approvals are listed. */
export interface ApprovalFilter {
  /** The one audience whose approvals are listed. */
  readonly audience?: string | undefined;
  /** Whether those alone are listed that who asks may decide now. Not with the operators' token. */
  readonly mine?: boolean | undefined;
}

/** What one of an audience says about a step. */
export type Decision =
  paths["/v1/tasks/{id}/steps/{step}/decision"]["post"]["requestBody"]["content"]["application/json"];

/** How a signal is sent. */
export interface SignalOptions {
  /**
   * The signal's own id, such as that of the event that it tells of: the same id is the same
   * signal. A new one for each call unless said otherwise: repetitions share it.
   */
  readonly id?: string;
  /** Who sends it by hand: kept with it where the client shows the operators' token. */
  readonly actor?: string;
  readonly signal?: AbortSignal;
}

type KeyedSignalBody =
  paths["/v1/signals/{name}"]["post"]["requestBody"]["content"]["application/json"];

/** A signal for the open task that a business key of a workflow stands for. */
export interface KeyedSignal extends Omit<KeyedSignalBody, "workflow" | "holdFor" | "payload"> {
  readonly workflow: AnyWorkflow;
  readonly payload: unknown;
  /** How long it is held for a task that is still to come; absent: it is refused without one. */
  readonly holdFor?: Wait;
  readonly signal?: AbortSignal;
}

type ScheduleBody =
  paths["/v1/schedules/{id}"]["put"]["requestBody"]["content"]["application/json"];

/** A schedule as it is stored. */
export interface NewSchedule extends Omit<ScheduleBody, "input"> {
  /** A template: `{"$ref": "/schedule/date"}` is the date of the instant, in the zone. */
  readonly input: unknown;
}

/** Who acts and why, and which version of the task was seen. */
export interface ActOptions {
  readonly reason: string;
  readonly actor?: string;
  /** The task's version; without one the task is read first, and acted on as it stands then. */
  readonly version?: number;
  readonly signal?: AbortSignal;
}
