export {
  type AppliedIncidents,
  type AttemptOfTask,
  type Incident,
  type IncidentOutcome,
  unusableTasks,
} from "./apply-incidents.ts";
export { type ClaimedStep, type ClaimOptions, type Room, roomFor } from "./claimed-steps.ts";
export type { DeadLetter } from "./dead-letters.ts";
export type { Expired } from "./find-expired.ts";
export type { KeptOptions } from "./find-kept-options.ts";
export type { Migrations } from "./find-migrations.ts";
export type { FoundPooler } from "./find-pooler.ts";
export type { StalledTasks } from "./find-stalled.ts";
export type { LaneFacts, PauseFacts, StepFacts, TaskFacts } from "./find-task-facts.ts";
export type { Unusable } from "./find-unusable.ts";
export type { Heartbeat } from "./heartbeats.ts";
export type { LoadedValues, ValueRef } from "./load-values.ts";
export { migrate } from "./migrate.ts";
export type { Notice } from "./notices.ts";
export {
  type AgentNeed,
  type ClockFacts,
  type InspectorOptions,
  type Loss,
  openInspector,
  type PartitionFacts,
  type PauseInForce,
  type ServerFacts,
  type StoreInspector,
  type Untold,
  type UnvacuumedTable,
  type Violation,
  type XminHolder,
} from "./open-inspector.ts";
export { openStateStore, type StateStore } from "./open-state-store.ts";
export type { OrderRecord } from "./orders.ts";
export type { TakenNotice } from "./outbox.ts";
export type { OldMonth } from "./past.ts";
export type { Pause, PauseTarget, PauseWish } from "./pauses.ts";
export type { HistoryEntry, StepRecord, TaskRecord } from "./read-task.ts";
export type { RejectedReply } from "./rejected-replies.ts";
export { unusableActor } from "./set-aside.ts";
export type { StandstillFacts } from "./standstills.ts";
export type { NewTask, Submitted } from "./submit-tasks.ts";
export type { StoredWorkflow } from "./workflow-catalog.ts";
