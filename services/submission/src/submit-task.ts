import type { TraceContext } from "@holdfast/domain";
import { batchCalls, type Failpoint, noTracing, type Tracing } from "@holdfast/runtime";
import type { NewTask, StateStore, Submitted } from "@holdfast/state-store";
import type { FastifyRequest } from "fastify";
import type { Learns } from "./access/access.ts";
import type { Noun } from "./noun.ts";
import { type QueueLimit, queueLimit } from "./queue-limit.ts";
import type { AskedNaming } from "./read-naming.ts";
import { readTask } from "./read-task.ts";
import type { AskedUrgency } from "./read-urgency.ts";
import { agentsUnknown, keyInUse, keyReused, retired } from "./submit-problems.ts";
import type { OpenWorkflow, WorkflowDirectory } from "./workflow-directory.ts";

export interface SubmitDependencies {
  readonly store: Pick<StateStore, "submitTasks">;
  readonly directory: WorkflowDirectory;
  /** Tells the Schedulers that there is something to do. */
  readonly hint: () => void;
  readonly failpoint: Failpoint;
  readonly actor: string;
  /** Whether tasks whose Agents have never announced themselves are taken; not unless said so. */
  readonly takesUnknownAgents?: boolean;
  readonly waiting?: WaitingLimits;
  /** None unless given. */
  readonly tracing?: Tracing;
}

/** What may wait for the state store. */
export interface WaitingLimits {
  readonly tasks: number;
  /** How long a task may wait, in milliseconds. */
  readonly patience: number;
}

/** A full transaction, while another one is written: longer queues only make each task slower. */
const defaultWaiting: WaitingLimits = { tasks: 200, patience: 10_000 };
/** Of all bodies that wait. */
const bytesWaiting = 16 * 1024 * 1024;

/** How many submissions share one transaction at most. */
const batch = 200;

/** What a request asks for, wherever it says so. */
export interface Asked extends AskedUrgency, AskedNaming {
  readonly noun: Noun;
  readonly workflow: string;
  readonly input: unknown;
  readonly idempotencyKey: string | undefined;
  readonly replyTo: string | undefined;
  readonly correlationId: string | undefined;
  /** Whether the task is taken although one of its Agents has never announced itself. */
  readonly allowsUnknownAgents: boolean;
  readonly learns: Learns;
  /** The trace of the request; null or absent: none. */
  readonly trace?: TraceContext | null;
}

/** A task that is durable, with all its steps. */
export type Accepted = Extract<Submitted, { kind: "created" | "replayed" }>;

/** Submits tasks: those that arrive during one transaction share the next. What waits is bounded. */
export function taskSubmitter(deps: SubmitDependencies) {
  const { directory, waiting = defaultWaiting, tracing = noTracing } = deps;
  const limit = queueLimit({ most: waiting.tasks });
  const submissions = batchCalls(acceptTasks(deps, limit), {
    max: batch,
    maxWaiting: { items: waiting.tasks, bytes: bytesWaiting },
    patience: waiting.patience,
  });

  const mustHaveAgents = async (workflow: OpenWorkflow, asked: Asked): Promise<void> => {
    if (deps.takesUnknownAgents || asked.allowsUnknownAgents) return;
    const unknown = await directory.unknownAgents(workflow.definition);
    // For a retired workflow the store answers: to start its Agents would not help.
    if (unknown.length > 0 && !directory.isRetired(workflow.name)) {
      throw agentsUnknown(workflow, unknown);
    }
  };

  const write = async (asked: Asked, workflow: OpenWorkflow, caller: Caller) => {
    const task = readTask(asked.input, { ...asked, workflow });
    await mustHaveAgents(workflow, asked);
    const { result, withdraw } = submissions.add(task, caller.bodyBytes);
    caller.onGone(withdraw);
    return traceInsert(tracing, asked.trace ?? null, result);
  };

  return {
    /** Whether a request more is to be refused, which is counted then. */
    isFull(): boolean {
      const isFull = submissions.isFull || submissions.waiting >= limit.current;
      if (isFull) limit.refused();
      return isFull;
    },
    /** Resolves once the task is durable. Not written if its caller is gone, or it waited too long. */
    async submit(asked: Asked, caller: Caller): Promise<Accepted> {
      const find = () => directory.find(asked.workflow, asked.learns.workflowNames);
      const first = directory.known(asked.workflow) ?? (await find());
      let submitted = await write(asked, first, caller);
      if (submitted.kind === "retired") {
        await directory.reload();
        const newest = await find();
        if (newest.name === first.name) throw retired(first);
        submitted = await write(asked, newest, caller);
      }
      if (submitted.kind === "retired") throw retired(first);
      if (submitted.kind === "conflict") throw keyReused(asked.noun);
      if (submitted.kind === "held") {
        throw keyInUse(asked.noun, submitted.taskId, asked.learns.reader());
      }
      return submitted;
    },
  };
}

/** A span for the wait until the task is durable, with that for a place in a transaction. */
async function traceInsert(
  tracing: Tracing,
  parent: TraceContext | null,
  result: Promise<Submitted>,
): Promise<Submitted> {
  if (parent === null) return result;
  const attributes = {
    "db.system.name": "postgresql",
    "db.operation.name": "INSERT",
    "db.collection.name": "state.tasks",
  };
  const span = tracing.span("INSERT state.tasks", { kind: "client", parent, attributes });
  try {
    const submitted = await result;
    span.end("taskId" in submitted ? { "holdfast.task.id": submitted.taskId } : {});
    return submitted;
  } catch (error) {
    span.end({ "error.type": (error as Error).name });
    throw error;
  }
}

/** Who waits for a submission. */
export interface Caller {
  readonly bodyBytes: FastifyRequest["bodyBytes"];
  /** Calls back when the caller no longer waits, at once if it is gone already. */
  readonly onGone: (withdraw: () => void) => void;
}

const acceptTasks =
  ({ store, hint, failpoint, actor }: SubmitDependencies, limit: Pick<QueueLimit, "written">) =>
  async (tasks: readonly NewTask[]) => {
    failpoint("submission.accepting");
    const submitted = await store.submitTasks(tasks, { actor });
    limit.written(tasks.length);
    failpoint("submission.accepted");
    if (submitted.some(({ kind }) => kind === "created")) hint();
    return submitted;
  };
