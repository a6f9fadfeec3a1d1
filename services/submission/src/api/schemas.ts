import { limits } from "@holdfast/contracts";
import { priorities, type StepKind, stepKinds } from "@holdfast/domain";
import { Type } from "typebox";
import { bulkSchemas } from "../bulk/bulk-schemas.ts";
import { letterSchemas } from "../letters/letter-schemas.ts";
import { taskStates } from "../search/task-states.ts";
import { systemSchemas } from "../system/system-schemas.ts";
import { ref } from "./describe.ts";
import { lookSchemas } from "./look-schemas.ts";
import { Instant, Json, named, nullable, Text } from "./schema-parts.ts";
import { statisticsSchemas } from "./statistics-schemas.ts";

const Problem = named("Problem", {
  type: Text,
  title: Text,
  status: Type.Integer(),
  code: Type.String({ description: "Stable: see the catalogue of fault codes." }),
  detail: Type.String({ description: "One sentence: what is wrong, and what to do." }),
  errors: Type.Optional(
    Type.Array(Type.Object({ pointer: Text, detail: Text }), { maxItems: limits.refusals }),
  ),
  taskId: Type.Optional(
    Type.String({ description: "Of `task.key_in_use`: the open task that has the key." }),
  ),
});

const Pause = Type.Object({ at: Instant, by: Text, reason: Text });
const Fairness = Type.Object({ key: Text, weight: Type.Integer() });

const Step = named("Step", {
  name: Text,
  kind: Type.Enum(Object.keys(stepKinds) as StepKind[]),
  agent: Text,
  processState: Type.Enum([
    "waiting",
    "pending",
    "processing",
    "processed",
    "error",
    "skipped",
    "cancelled",
  ]),
  attempt: Type.Integer(),
  failureCount: Type.Integer(),
  requeueCount: Type.Integer(),
  lockedBy: nullable(Text),
  completeBy: nullable(Instant),
  startedAt: nullable(Instant),
  heartbeatAt: nullable(Instant),
  progress: nullable(
    Type.Object({ percent: Type.Optional(Type.Number()), note: Type.Optional(Text) }),
  ),
  notBefore: nullable(Instant),
  faultCode: nullable(Text),
  faultDetail: nullable(Text),
  output: Json,
});

const common = {
  id: Text,
  workflow: Type.String({ description: "With its version." }),
  state: Type.Enum([...taskStates]),
  goal: Type.Enum(["do", "undo"]),
  version: Type.Integer({ description: "Also the ETag, for If-Match." }),
  priority: Type.Enum([...priorities]),
  fairness: nullable(Fairness),
  faultCode: nullable(Text),
  key: nullable(Text),
  labels: Type.Record(Text, Text),
  notBefore: nullable(Instant),
  createdAt: Instant,
  updatedAt: Instant,
  finishedAt: nullable(Instant),
};
const whole = {
  ...common,
  paused: nullable(Pause),
  traceId: nullable(
    Type.String({ description: "The trace that it belongs to; null: none that is recorded." }),
  ),
  result: Json,
  steps: Type.Array(ref("Step")),
};

const page = ($id: string, item: Type.TSchema) => named($id, { items: Type.Array(item) });

const ConsoleSettings = named("ConsoleSettings", {
  traceUrlTemplate: nullable(
    Type.String({ description: "Where a trace is found: `{traceId}` stands for its id." }),
  ),
});

const HistoryEntry = named("HistoryEntry", {
  id: Text,
  step: nullable(Text),
  action: Text,
  fromState: nullable(Text),
  toState: Text,
  attempt: nullable(Type.Integer()),
  actor: Text,
  reason: nullable(Text),
  note: nullable(Text),
  at: Instant,
});

const Workflow = named("Workflow", {
  name: Text,
  collections: Type.Array(Text),
  createdAt: Instant,
  retired: nullable(Type.Object({ at: Instant, by: Text, reason: Text })),
});

const AgentInstance = Type.Object({
  name: Text,
  slots: Type.Number(),
  inFlight: Type.Number(),
  breaker: Type.Enum(["closed", "open", "half-open"]),
  openUntil: nullable(Instant),
  lastSeen: Instant,
  living: Type.Boolean(),
});

const Agent = named("Agent", {
  name: Text,
  living: Type.Integer(),
  slots: Type.Number(),
  inFlight: Type.Integer(),
  due: Type.Integer(),
  oldestDueMs: nullable(Type.Number()),
  paused: nullable(Pause),
  instances: Type.Array(AgentInstance),
});

const PauseRecord = named("PauseRecord", {
  kind: Type.Enum(["agent", "workflow"]),
  name: Text,
  actor: Text,
  reason: nullable(Text),
  pausedAt: Instant,
  resumedAt: nullable(Instant),
  resumedBy: nullable(Text),
  resumeReason: nullable(Text),
});

const Remote = named("Remote", {
  name: Text,
  breaker: Type.Enum(["closed", "open", "half-open"]),
  agents: Type.Array(Text),
  since: nullable(Instant),
  actor: nullable(Text),
  reason: nullable(Text),
  held: Type.Boolean(),
  openUntil: nullable(Instant),
  throttledUntil: nullable(Instant),
  heldSteps: Type.Integer(),
  heldTasks: Type.Array(Text),
  probe: nullable(Type.Object({ taskId: Text, step: nullable(Text) })),
});

/** The named schemas of the OpenAPI document. */
export const namedSchemas: readonly Type.TSchema[] = [
  Problem,
  Step,
  Type.Object({ ...whole, input: Json }, { $id: "Task" }),
  // The input stands under the collection's own noun.
  Type.Object(whole, { $id: "CollectionTask", additionalProperties: true }),
  named("ListedTask", { ...common, correlationId: nullable(Text), paused: Type.Boolean() }),
  named("TaskPage", { items: Type.Array(ref("ListedTask")), next: nullable(Text) }),
  named("TaskCount", {
    count: Type.Integer(),
    complete: Type.Boolean({ description: "False: at least so many." }),
  }),
  named("Accepted", { id: Text }),
  named("TaskResult", {
    id: Text,
    state: Type.Enum([...taskStates]),
    result: Json,
    faultCode: nullable(Text),
  }),
  HistoryEntry,
  page("History", ref("HistoryEntry")),
  ConsoleSettings,
  Workflow,
  page("Workflows", ref("Workflow")),
  Type.Object(
    { ...Workflow.properties, definition: Type.Unsafe<object>({ type: "object" }) },
    { $id: "StoredWorkflow" },
  ),
  named("WorkflowStored", { name: Text, warnings: Type.Array(Text) }),
  Agent,
  page("Agents", ref("Agent")),
  PauseRecord,
  page("Pauses", ref("PauseRecord")),
  Remote,
  page("Remotes", ref("Remote")),
  ...lookSchemas,
  ...statisticsSchemas,
  ...bulkSchemas,
  ...letterSchemas,
  ...systemSchemas,
];
