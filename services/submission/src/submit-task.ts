import type { AskedSubmission } from "@holdfast/contracts";
import { type TraceContext, TransientFault, traceText } from "@holdfast/domain";
import {
  batchCalls,
  type Clock,
  type Failpoint,
  noTracing,
  systemClock,
  type Tracing,
} from "@holdfast/runtime";
import {
  type NewTask,
  readRepeat,
  type SubmissionStore,
  type Submitted,
} from "@holdfast/state-store";
import type { FastifyRequest } from "fastify";
import type { Learns } from "./access/access.ts";
import { Problem } from "./problem.ts";
import { type QueueLimit, queueLimit } from "./queue-limit.ts";
import {
  agentsUnknown,
  keyInUse,
  keyReused,
  readSubmissionAt,
  retired,
} from "./submit-problems.ts";
import type { OpenWorkflow, WorkflowDirectory } from "./workflow-directory.ts";

export interface SubmitDependencies {
  readonly store: Pick<SubmissionStore, "submitTasks">;
  readonly directory: WorkflowDirectory;
  /** Tells the Schedulers that there is something to do. */
  readonly hint: () => void;
  readonly failpoint: Failpoint;
  readonly actor: string;
  /** Milliseconds for which an idempotency key stands for its task; a day unless said otherwise. */
  readonly keepKeysFor?: number;
  /** Whether tasks whose Agents have never announced themselves are taken; not unless said so. */
  readonly takesUnknownAgents?: boolean;
  readonly waiting?: WaitingLimits;
  readonly clock?: Clock;
  /** The tracing of submissions; none unless given. */
  readonly tracing?: Tracing;
}

/** What may wait for the state store. */
export interface WaitingLimits {
  readonly tasks: number;
  /** How long a task may wait, in milliseconds. */
  readonly timeout: number;
}

/** A full transaction, while another one is written: longer queues only make each task slower. */
const defaultWaiting: WaitingLimits = { tasks: 200, timeout: 10_000 };
/** Bytes of all bodies that wait. */
const bytesWaiting = 16 * 1024 * 1024;

/** How many submissions share one transaction at most. */
const batch = 200;

/**
 * What is refused is looked for among what was taken before: so much at a time, apart from what is
 * to be written.
 */
const lookingForRepeats = { max: batch, maxWaiting: { items: 1_000, bytes: 1 } };

/** What a request asks for. */
export interface SubmitRequest {
  readonly submission: AskedSubmission & { readonly workflow: string };
  /** Whether the task is taken although one of its Agents has never announced itself. */
  readonly allowsUnknownAgents: boolean;
  readonly learns: Learns;
  /** The id of the principal that submits it; null: it is unknown. */
  readonly submittedBy: string | null;
  /** The trace of the request; null or absent: none. */
  readonly trace?: TraceContext | null;
}

/**
 * Times in a row that the active version is looked for when another one becomes active meanwhile.
 */
export const mostTurns = 10;

export const versionsChange = (workflow: string) =>
  new TransientFault(
    "store.contention",
    `Another version of ${workflow} became active each of ${mostTurns} times that a task of it was written`,
  );

/** A task that is durable, with all its steps. */
export type Accepted = Extract<Submitted, { kind: "created" | "replayed" }>;

/**
 * Submits tasks: those that arrive during one transaction share the next. What waits is bounded.
 */
export function taskSubmitter(deps: SubmitDependencies) {
  const { directory, waiting = defaultWaiting, tracing = noTracing, clock = systemClock } = deps;
  const limit = queueLimit({ most: waiting.tasks });
  const maxWaiting = { items: waiting.tasks, bytes: bytesWaiting };
  const limits = { max: batch, maxWaiting, timeout: waiting.timeout, clock };
  const submissions = batchCalls(acceptTasks(deps, limit), limits);
  const findRepeat = repeatFinder(deps);
  const reader = submissionReader(deps);
  const write = async (request: SubmitRequest, workflow: OpenWorkflow, caller: Caller) => {
    const { trace = null } = request;
    const task = await reader.read(request, workflow);
    const traced = trace === null ? task : { ...task, traceContext: traceText(trace) };
    const { result, withdraw } = submissions.add(traced, caller.bodyBytes);
    caller.onGone(withdraw);
    return traceInsert(tracing, trace, result);
  };

  /**
   * Writes it in the version that is meant, by the store at that time: what is known here chooses
   * none, and refuses none.
   */
  const writeInVersion = async (request: SubmitRequest, caller: Caller) => {
    const { workflow: named } = request.submission;
    const find = () => directory.find(named, request.learns.workflowNames);
    for (let turn = 0; turn < mostTurns; turn += 1) {
      const workflow = directory.known(named) ?? (await find());
      try {
        const submitted = await write(request, workflow, caller);
        if (submitted.kind !== "outdated") return submitted;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (await directory.isOutdated(workflow)) continue;
        const repeat = await findRepeat(request.submission, workflow);
        if (repeat === null) throw error;
        return repeat;
      }
      await directory.reload();
      const next = await find();
      if (directory.isRetired(next.name)) throw retired(next);
    }
    throw versionsChange(named);
  };

  return {
    /** Whether a request more is to be refused, which is counted then. */
    isFull(): boolean {
      const some = submissions.waiting + reader.reading;
      const isFull = submissions.isFull || some >= limit.current;
      if (isFull) limit.refused();
      return isFull;
    },
    /**
     * Resolves once the task is durable. Not written if its caller is gone, or it waited too long.
     */
    async submit(request: SubmitRequest, caller: Caller): Promise<Accepted> {
      const { submission, learns } = request;
      const submitted = await writeInVersion(request, caller);
      if (submitted.kind === "retired") throw retired({ name: submission.workflow });
      if (submitted.kind === "conflict") throw keyReused("Idempotency-Key", "task");
      if (submitted.kind === "held") throw keyInUse(submitted.taskId, learns.reader());
      return submitted;
    },
  };
}

/**
 * Makes tasks of submissions, and knows how many it is at: that takes turns, and may take the
 * thread.
 */
function submissionReader(deps: SubmitDependencies) {
  let reading = 0;
  return {
    /** How many are being read: they wait as those do that are to be written. */
    get reading() {
      return reading;
    },
    async read(request: SubmitRequest, workflow: OpenWorkflow): Promise<NewTask> {
      reading += 1;
      try {
        const task = await readSubmissionAt(
          request.submission,
          workflow,
          { ...keyLife(deps), submittedBy: request.submittedBy },
          deps.clock ?? systemClock,
        );
        await mustHaveAgents(deps, workflow, request);
        return task;
      } finally {
        reading -= 1;
      }
    },
  };
}

/** The time for which idempotency keys stand for their tasks, where it is set. */
const keyLife = ({ keepKeysFor }: SubmitDependencies) =>
  keepKeysFor === undefined ? {} : { keepKeyFor: keepKeysFor };

/**
 * Finds what was made of the same request before, when another version was active; null: nothing
 * was.
 */
function repeatFinder({
  store,
  actor,
  waiting: { timeout } = defaultWaiting,
  clock = systemClock,
}: SubmitDependencies) {
  const repeats = batchCalls((tasks: readonly NewTask[]) => store.submitTasks(tasks, { actor }), {
    ...lookingForRepeats,
    timeout,
    clock,
  });
  return async (
    submission: SubmitRequest["submission"],
    workflow: OpenWorkflow,
  ): Promise<Accepted | null> => {
    const repeat = readRepeat(submission, workflow);
    if (repeat === null) return null;
    const found = await repeats.add(repeat, 0).result;
    return found.kind === "replayed" ? found : null;
  };
}

async function mustHaveAgents(
  { directory, takesUnknownAgents = false }: SubmitDependencies,
  workflow: OpenWorkflow,
  { allowsUnknownAgents }: SubmitRequest,
): Promise<void> {
  if (takesUnknownAgents || allowsUnknownAgents) return;
  const unknown = await directory.unknownAgents(workflow.definition);
  // For a retired workflow the store answers: to start its Agents would not help.
  if (unknown.length > 0 && !directory.isRetired(workflow.name)) {
    throw agentsUnknown(workflow, unknown);
  }
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
