import { definitionSchema, limits } from "@holdfast/contracts";
import { priorities, stepStates } from "@holdfast/domain";
import { Type } from "typebox";
import { approvalSchemas, outcomeSchema } from "../approvals/approval-schemas.ts";
import { bulkSchemas } from "../bulk/bulk-schemas.ts";
import { taskStates } from "../search/task-states.ts";
import { agentSchemas, Pause } from "./agent-schemas.ts";
import { ref } from "./describe.ts";
import { eventSchemas } from "./event-schemas.ts";
import { examples } from "./examples.ts";
import { Progress } from "./progress-schema.ts";
import {
  amount,
  count,
  flag,
  instant,
  json,
  named,
  next,
  nullable,
  page,
  text,
  texts,
} from "./schema-parts.ts";
import { SourceSchema } from "./source-schema.ts";
import { statisticsSchemas } from "./statistics-schemas.ts";
import { stepKind } from "./step-kind-schema.ts";
import { viewSchemas } from "./view-schemas.ts";

const processes = (description: string) =>
  Type.Array(
    Type.Object({
      instance: text("Its name, by host and process."),
      version: text("Its release."),
      slots: nullable(count("Of a Scheduler: its MAX_IN_FLIGHT.")),
      seenAt: instant("When it last said that it is there."),
    }),
    { description },
  );
const Queue = Type.Object({
  name: text("Its name."),
  ready: nullable(count("Messages that wait.")),
  unacked: nullable(count("Messages at a consumer.")),
  consumers: nullable(count("Who reads it.")),
  state: nullable(text("As RabbitMQ says it, such as `running`.")),
});
const Partition = Type.Object({
  name: text("The month, such as `2026_11`."),
  from: instant("When the month begins."),
  until: instant("When the month ends."),
  rows: amount("Of all tables of the month, as Postgres estimates it."),
  bytes: amount("With indexes."),
});

/** What the tasks run on. */
const systemSchemas: readonly Type.TSchema[] = [
  named("System", "What the tasks run on.", {
    version: text("The release of the process that answers."),
    at: instant("When it was looked at."),
    schedulers: processes("The living ones."),
    supervisors: processes("The living ones."),
    submissions: processes("The living ones."),
    queues: nullable(
      Type.Array(Queue, { description: "By RabbitMQ's HTTP API; null: it cannot be asked." }),
    ),
    queuesNote: nullable(text("Why the queues are not known.")),
    outbox: Type.Object(
      {
        waiting: count("Counted no further than to 10,000."),
        oldestMs: nullable(amount("For how long the oldest waits, in milliseconds.")),
      },
      { description: "Notifications that are still to be sent." },
    ),
    partitions: Type.Array(Partition, { description: "The months of the state store." }),
    configuration: Type.Record(Type.String(), json("Its value; a secret is not shown."), {
      description: "The settings of the process that answers, by their names.",
    }),
  }),
];

/** What is known of a message, whatever became of it. */
const deadLetter = {
  id: text("Its number."),
  queue: text("Where it was found."),
  messageId: nullable(text("As its sender named it.")),
  type: nullable(text("Of the message, such as `step.reply.v1`.")),
  sender: nullable(text("Its broker user, as RabbitMQ vouches for it.")),
};

/** Dead letters and what became of them. */
const deadLetterSchemas: readonly Type.TSchema[] = [
  named("DeadLetter", "A message that no service could use.", {
    ...deadLetter,
    reason: text("Why no service could use it, as the broker or its reader said."),
    detail: nullable(text("What was wrong.")),
    size: count("Bytes of the message as it came."),
    at: instant("When it was stored."),
    body: nullable(
      text(
        "Its body as text: the first MiB that was kept, in a list the first 4 KiB; null: it is no text.",
      ),
    ),
    replayable: flag("Whether it can be sent once more."),
    whyNot: nullable(text("One sentence: why it cannot be sent once more.")),
  }),
  page("DeadLetterPage", ref("DeadLetter"), "The latest first."),
  page(
    "DeadLetterActions",
    Type.Object({
      ...deadLetter,
      action: Type.Enum(["replay", "discard"], { description: "What was done to it." }),
      actor: text("Who did it."),
      reason: text("Why."),
      at: instant("When."),
    }),
    "The latest first.",
  ),
];

const Problem = named(
  "Problem",
  "Why a request was refused, or could not be done now (RFC 9457).",
  {
    type: text("The path of a page about `code`, on the server that answered."),
    title: text("The words of the status."),
    status: count("The status of the answer."),
    code: text("Stable: see the catalogue of fault codes."),
    detail: text("One sentence: what is wrong, and what to do."),
    retryable: flag("Whether the same request may be granted later; see Retry-After."),
    requestId: text(
      "Names the request in the log: as `x-request-id`, in the request and its answer.",
    ),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: text("Where in the request, as a JSON pointer."),
          detail: text("What it must be."),
        }),
        { maxItems: limits.refusals, description: "Each part of the request that is refused." },
      ),
    ),
    taskId: Type.Optional(text("Of `task.key_in_use`: the open task that has the key.")),
    decisions: Type.Optional(
      Type.Array(ref("ApprovalDecision"), {
        description:
          "Of `approval.over`: what was decided. Of `approval.decided_already`: what the same person said first.",
      }),
    ),
    outcome: Type.Optional(outcomeSchema),
  },
  examples.problem,
);

const Fairness = Type.Object(
  { key: text("With whose tasks it shares its turn."), weight: count("The key's share.") },
  { description: "How it shares its priority with others; null: by time." },
);
const Step = named("Step", "A step of a task, or what undoes one.", {
  name: text("Its name; that of an undo ends with `:undo`."),
  kind: stepKind,
  agent: text("Who has it, or may take it: the Agents of a pool are joined by `+`."),
  processState: Type.Enum([...stepStates], {
    description:
      "`waiting` for other steps, `pending` until a Scheduler claims it, `processing` at its Agent, `awaiting` a time, a signal or people, `processed`, `error`: failed for good, `skipped` by its condition, `cancelled` because its task is undone.",
  }),
  attempt: count("Of the last attempt; 0: none began."),
  failureCount: count("Failures since the last cool-down or resubmission."),
  requeueCount: count("How often in a row it was requeued without a failure."),
  lockedBy: nullable(text("The Scheduler that claimed it.")),
  completeBy: nullable(instant("When the attempt expires.")),
  startedAt: nullable(instant("When its Agent began the attempt, as far as it has said so.")),
  heartbeatAt: nullable(instant("When its handler last said that it is at work.")),
  progress: nullable(Progress),
  notBefore: nullable(instant("When its delay or its wait ends.")),
  awaiting: nullable(
    Type.Object(
      {
        until: nullable(instant("When it ends by itself; null: it does not.")),
        signal: nullable(text("The name of the signal that ends it; null: none does.")),
        audience: nullable(text("Those who decide it; null: it is for no one to decide.")),
      },
      { description: "What the step waits for; null: it does not wait." },
    ),
  ),
  faultCode: nullable(text("Of its last failure.")),
  faultDetail: nullable(text("The message of its last failure.")),
  output: json("What it returned: any JSON; null until it has."),
});

const state = (description: string) => Type.Enum([...taskStates], { description });
const states =
  "`pending`, `processing`, `undoing`: being undone, `halted`: waits for an operator, `processed`, `undone`: undone.";

const common = {
  id: text("A UUID, by the time of the submission."),
  workflow: text("With its version."),
  state: state(states),
  goal: Type.Enum(["do", "undo"], { description: "Whether it goes forward or is undone." }),
  version: count("Rises with each change. Also the ETag, for If-Match."),
  priority: Type.Enum([...priorities], { description: "Which steps are claimed first." }),
  fairness: nullable(Fairness),
  faultCode: nullable(text("Why it is undone, or waits for an operator.")),
  key: nullable(text("The business key, which one open task of the workflow can have.")),
  labels: Type.Record(Type.String(), Type.String(), { description: "By what it is found." }),
  notBefore: nullable(instant("When its first steps become due; null: at once.")),
  createdAt: instant("When it was submitted."),
  updatedAt: instant("When it last changed."),
  finishedAt: nullable(instant("When it ended; null: it is open.")),
};
const whole = {
  ...common,
  paused: nullable(Pause),
  submittedBy: nullable(
    text(
      "The id of who submitted it: of a principal, or `application:<login>`, or `broker:<user>`; null: unknown, or not for this reader.",
    ),
  ),
  traceId: nullable(text("The trace that it belongs to; null: none that is recorded.")),
  result: json("What the workflow results in: any JSON; null until it is processed."),
  steps: Type.Array(ref("Step"), {
    description: "In the order of the workflow, each followed by its undo.",
  }),
  omitted: Type.Optional(
    Type.Array(Type.Enum(["payloads", "result"]), {
      description:
        "What is null because it is too large for this answer: the input, outputs and fault details of a task that was changed or followed, which `GET /v1/tasks/{id}` has; or a result of more than a mebibyte.",
    }),
  ),
};

const ConsoleSettings = named(
  "ConsoleSettings",
  "What the console must know of this installation.",
  {
    traceUrlTemplate: nullable(text("Where a trace is found: `{traceId}` stands for its id.")),
  },
);

const HistoryEntry = named("HistoryEntry", "One move of a task or of one of its steps.", {
  id: text("Rises with time."),
  step: nullable(text("The step that moved; null: the task.")),
  action: text("The move, such as `claim`, `complete`, `fail` or `retry`."),
  fromState: nullable(text("The state before; null: there was none.")),
  toState: text("The state after."),
  attempt: nullable(count("Of the step.")),
  actor: text("The process or the person that moved it."),
  reason: nullable(text("A fault code, or the operator's words.")),
  source: nullable(SourceSchema),
  note: nullable(text("What more is known, for people.")),
  at: instant("When."),
});

const signal = {
  id: text("The sender's own: the same once more is the same signal."),
  name: text("Of the signal, as the workflow has it."),
};
const replayed = flag("Whether it was sent before: then this is the first answer again.");

/** Signals that were sent to tasks. */
const signalSchemas: readonly Type.TSchema[] = [
  named(
    "SignalAccepted",
    "A signal that is kept with its task.",
    {
      ...signal,
      taskId: text("Of the task."),
      at: instant("When it was stored, the first time."),
      replayed,
    },
    examples.signalAccepted,
  ),
  named("SignalByKeyAccepted", "A signal that is kept with its task, or held for one to come.", {
    ...signal,
    taskId: nullable(text("Of the task; null: it is held for one to come.")),
    at: nullable(instant("When it was stored with the task, the first time; null: it is held.")),
    heldUntil: nullable(instant("How long it is held; null: its task has it.")),
    replayed,
  }),
  named("Signal", "A signal that was sent to a task.", {
    ...signal,
    payload: json("What it carries: any JSON."),
    sentBy: text(
      "The principal that sent it, the person that did by hand, or the process that took it.",
    ),
    at: instant("When it was stored."),
    takenBy: nullable(text("The step whose wait it ended; null: none has taken it.")),
    isLate: flag("Whether no step could take it any more when it came."),
  }),
  page("Signals", ref("Signal"), "Oldest first."),
];

const waitsFor = texts(
  "Sentences: what is missing before it becomes active; empty if it does not wait for Agents.",
);

const Workflow = named("Workflow", "A version of a workflow that is stored.", {
  name: text("With its version."),
  collections: texts("The nouns at which its tasks are submitted, too: `POST /v1/{collection}`."),
  createdAt: instant("When it was stored."),
  storedBy: nullable(text("Who stored it; null: unknown.")),
  active: nullable(
    Type.Object(
      { at: instant("When."), by: text("Who activated it."), reason: text("Why.") },
      { description: "Since when its name without a version means it; null: it does not." },
    ),
  ),
  awaitsAgents: flag("Whether it becomes active as soon as its Agents are known."),
  retired: nullable(
    Type.Object(
      { at: instant("When."), by: text("Who retired it."), reason: text("Why.") },
      { description: "Since when no task of it is taken; null: it is in use." },
    ),
  ),
});

/** The named schemas of the OpenAPI document. */
export const namedSchemas: readonly Type.TSchema[] = [
  Problem,
  Step,
  Type.Object(
    { ...whole, input: json("What it was submitted with: any JSON.") },
    {
      $id: "Task",
      description: "A task with its steps.",
      examples: [examples.task],
    },
  ),
  named("ListedTask", "A task in a list, without its steps and payloads.", {
    ...common,
    correlationId: nullable(text("What its notifications carry.")),
    paused: flag("Whether an operator paused it."),
  }),
  named("TaskPage", "A page of tasks.", {
    items: Type.Array(ref("ListedTask"), { description: "Newest first." }),
    next,
  }),
  named("TaskCount", "How many tasks match.", {
    count: count("How many match."),
    complete: flag("False: at least so many."),
  }),
  named(
    "Accepted",
    "The task that was submitted.",
    { id: text("Of the task.") },
    examples.accepted,
  ),
  named(
    "TaskResult",
    "How a task stands, and what it resulted in.",
    {
      id: text("Of the task."),
      state: state(states),
      result: json("What the workflow results in: any JSON; null until it is processed."),
      faultCode: nullable(text("Why it is undone, or waits for an operator.")),
    },
    examples.result,
  ),
  ...signalSchemas,
  HistoryEntry,
  named("History", "A page of a history.", {
    items: Type.Array(ref("HistoryEntry"), { description: "Oldest first." }),
    next,
  }),
  ConsoleSettings,
  Workflow,
  page("Workflows", ref("Workflow"), "The latest first."),
  Type.Object(
    {
      ...Workflow.properties,
      waitsFor,
      definition: ref("WorkflowDefinition", { description: "The workflow as it was stored." }),
      contracts: Type.Unsafe<{ readonly [operation: string]: string }>({
        type: "object",
        additionalProperties: { type: "string" },
        description:
          "The hashes of the contracts that it was made with, by `<agent>.<operation>`: those that Agents announce.",
      }),
    },
    { $id: "StoredWorkflow", description: "A version of a workflow, with its definition." },
  ),
  named("WorkflowStored", "What became of a workflow that was stored.", {
    name: text("With its version."),
    active: nullable(text("The active version of the workflow; null: all are retired.")),
    waitsFor,
    warnings: texts(
      "Sentences: Agents and operations that no running instance has, and values that a step may miss.",
    ),
  }),
  definitionSchema,
  ...agentSchemas,
  ...viewSchemas,
  ...eventSchemas,
  ...statisticsSchemas,
  ...bulkSchemas,
  ...approvalSchemas,
  ...deadLetterSchemas,
  ...systemSchemas,
];
