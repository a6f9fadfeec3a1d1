import { submissionQueue } from "@holdfast/contracts";
import { traceText } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import {
  type Failpoint,
  inTurns,
  type Logger,
  noTracing,
  processSpan,
  type Span,
  type Tracing,
} from "@holdfast/runtime";
import type { NewTask, StateStore, Submitted } from "@holdfast/state-store";
import type { OwnsStatusQueue } from "./access/status-queues.ts";
import { taskNoun } from "./noun.ts";
import { Problem } from "./problem.ts";
import { deliveryReader } from "./read-delivery.ts";
import { deliveryRefuser, type Refused } from "./refuse-deliveries.ts";
import { keyInUse, retired } from "./submit-problems.ts";
import type { OpenWorkflow, WorkflowDirectory } from "./workflow-directory.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "submitTasks" | "enqueueRefusals">;
  readonly directory: WorkflowDirectory;
  /** Of messages that name none; null: they must name one. */
  readonly workflow: string | null;
  /** Tells the Schedulers that there is something to do. */
  readonly hint: () => void;
  readonly log: Pick<Logger, "warn">;
  readonly failpoint: Failpoint;
  readonly actor: string;
  /** How long a `message_id` stands for its task, in milliseconds. */
  readonly keepKeysFor: number;
  readonly ownsStatusQueue: OwnsStatusQueue;
  /** None unless given. */
  readonly tracing?: Tracing;
}

interface Taken {
  readonly delivery: Delivery;
  readonly task: NewTask;
}

/** A span for each message. */
type Spans = ReadonlyMap<Delivery, Span>;

/**
 * Takes tasks by message instead of HTTP. A message is acknowledged once its task is durable, and a redelivery
 * makes no second task. A message that its workflow refuses, or that has the key of another task, goes to the
 * dead letters, and its submitter is notified.
 */
export function takeTasks(deps: Dependencies) {
  const { directory, hint, tracing = noTracing } = deps;
  const read = deliveryReader(deps);
  const refuse = deliveryRefuser(deps);

  /**
   * Takes these messages. What the store refuses because its workflow is retired is read once more, by the workflows as
   * they are now: a snapshot of them refuses nothing.
   */
  const take = async (
    batch: readonly Delivery[],
    { spans, isAgain }: { readonly spans: Spans; readonly isAgain: boolean },
  ): Promise<readonly Refused[]> => {
    const finding = { find: finder(directory), inTurn: inTurns() };
    const all = await Promise.all(
      batch.map(
        (delivery): Promise<Taken | Refused> =>
          read(delivery, finding).then(
            (task) => ({ delivery, task: traced(task, spans.get(delivery)) }),
            (error: unknown) => {
              if (!(error instanceof Problem)) throw error;
              return { delivery, problem: error };
            },
          ),
      ),
    );
    const taken = all.filter((one) => "task" in one);
    const unreadable = all.filter((one) => "problem" in one);
    const refused = taken.length === 0 ? [] : await submit(taken, deps);
    const outdated = isAgain ? [] : refused.filter(({ problem }) => isRetired(problem));
    const others = [...unreadable, ...refused.filter((one) => !outdated.includes(one))];
    if (outdated.length === 0) return others;
    await directory.reload();
    const deliveries = outdated.map(({ delivery }) => delivery);
    return [...others, ...(await take(deliveries, { spans, isAgain: true }))];
  };

  return async (batch: readonly Delivery[]): Promise<void> => {
    const spans = spansOf(tracing, batch);
    const refused = await take(batch, { spans, isAgain: false });
    await refuse(refused);
    for (const { delivery, problem } of refused)
      spans.get(delivery)?.set({ "error.type": problem.code });
    for (const span of spans.values()) span.end();
    if (refused.length < batch.length) hint();
  };
}

const isRetired = ({ code }: Problem): boolean => code === "workflow.retired";

/** Looks for each workflow once. */
function finder(directory: Pick<WorkflowDirectory, "find">) {
  const found = new Map<string, Promise<OpenWorkflow>>();
  return (asked: string): Promise<OpenWorkflow> => {
    const workflow = found.get(asked) ?? directory.find(asked, () => true);
    found.set(asked, workflow);
    return workflow;
  };
}

/** A message without a trace begins one. A batch that fails is delivered again: then its spans are made anew. */
const spansOf = (tracing: Tracing, batch: readonly Delivery[]): Spans =>
  new Map(
    (tracing.isOn ? batch : []).map((delivery) => {
      const received = { ...delivery, queue: submissionQueue, trace: delivery.trace ?? null };
      return [delivery, processSpan(tracing, received)];
    }),
  );

const traced = (task: NewTask, span: Span | undefined): NewTask =>
  span?.context == null ? task : { ...task, traceContext: traceText(span.context) };

/** Stores the tasks. Resolves to the messages that the state store refused. */
async function submit(
  taken: readonly Taken[],
  { store, failpoint, actor }: Dependencies,
): Promise<readonly Refused[]> {
  failpoint("submission.accepting");
  const tasks = taken.map(({ task }) => task);
  const submitted = await store.submitTasks(tasks, { actor });
  failpoint("submission.accepted");
  return taken.flatMap(({ delivery, task }, index) => {
    const problem = problemOf(submitted[index], task);
    return problem === null ? [] : [{ delivery, problem }];
  });
}

function problemOf(submitted: Submitted | undefined, task: NewTask): Problem | null {
  if (submitted?.kind === "conflict") return keyReused();
  if (submitted?.kind === "held") return keyInUse(taskNoun, submitted.taskId, "stranger");
  return submitted?.kind === "retired" ? retired({ name: task.workflow }) : null;
}

const keyReused = () =>
  new Problem(
    422,
    "request.idempotency_key_reused",
    "This message_id was used for another task. Use a new one.",
  );
