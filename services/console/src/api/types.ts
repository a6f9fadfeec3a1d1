import type {
  Agent,
  Attempts,
  components,
  Explanation,
  HistoryEntry,
  ListedSchedule,
  ListedTask,
  Pause,
  Remote,
  Schedule,
  ScheduleFire,
  ScheduleInstants,
  Step,
  Task,
} from "@holdfast/client";

export type {
  Agent,
  Attempts,
  HistoryEntry,
  ListedSchedule,
  ListedTask,
  Pause,
  Remote,
  Schedule,
  ScheduleFire,
  ScheduleInstants,
  Step,
  Task,
};

type Schemas = components["schemas"];

export type TaskState = Task["state"];
export type StepState = Step["processState"];
/** The signals that were sent to a task, the oldest first. */
export type Signals = Schemas["Signals"];
export type Signal = Schemas["Signal"];
/** A step that people decide, also after it was decided. */
export type Approval = Schemas["Approval"];
/** A step that waits for people to decide. */
export type OpenApproval = Schemas["OpenApproval"];
/** What one of them has said. */
export type Decision = Schemas["ApprovalDecision"];
export type DecisionCounted = Schemas["DecisionCounted"];
/** Why a task stands as it stands, as `holdfast why` says it. */
export type Why = Explanation;
/** One attempt of a step, with the deadline that it ran against. */
export type Attempt = Schemas["Attempt"];
export type AttemptOutcome = Attempt["outcome"];
/** A time in which a step waited, such as between two attempts. */
export type StepWait = Attempts["waits"][number];
/** A reply that came after its attempt had ended, and was refused. */
export type LateReply = Attempts["lateReplies"][number];
export type Overview = Schemas["Overview"];
/** Something that an operator should look at. */
export type Need = Overview["needsYou"][number];
export type AgentOverview = Overview["agents"][number];
export type InstanceSeen = Overview["schedulers"][number];
export type BreakerState = AgentOverview["breaker"];
export type Statistics = Schemas["Statistics"];
export type StatisticsBucket = Statistics["buckets"][number];

/** What `GET /v1/events` says of a task that has changed. */
export interface ChangedTask {
  readonly id: string;
  readonly workflow: string;
  readonly state: TaskState;
  readonly version: number;
  readonly updatedAt: string;
}

/** What an action and a refusal answer with. */
export interface ProblemBody {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}
