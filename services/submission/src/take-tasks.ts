import { submissionQueue } from "@holdfast/contracts";
import { traceText } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import {
  type Failpoint,
  type Logger,
  noTracing,
  processSpan,
  type Span,
  type Tracing,
} from "@holdfast/runtime";
import type { NewTask, SubmissionStore } from "@holdfast/state-store";
import type { OwnsStatusQueue } from "./access/status-queues.ts";
import { taskMaker } from "./make-tasks.ts";
import { deliveryReader } from "./read-delivery.ts";
import { deliveryRefuser } from "./refuse-deliveries.ts";
import type { WorkflowDirectory } from "./workflow-directory.ts";

interface IntakeDependencies {
  readonly store: Pick<SubmissionStore, "submitTasks" | "enqueueRefusals">;
  readonly directory: WorkflowDirectory;
  /** The workflow of messages that name none; null: they must name one. */
  readonly workflow: string | null;
  /** Tells the Schedulers that there is something to do. */
  readonly hint: () => void;
  readonly log: Pick<Logger, "warn">;
  readonly failpoint: Failpoint;
  readonly actor: string;
  /** How long a `message_id` stands for its task, in milliseconds. */
  readonly keepKeysFor: number;
  readonly ownsStatusQueue: OwnsStatusQueue;
  /** The tracing of what it takes; none unless given. */
  readonly tracing?: Tracing;
}

/** A span for each message. */
type Spans = ReadonlyMap<Delivery, Span>;

/**
 * Takes tasks by message instead of HTTP. A message is acknowledged once its task is durable, and a
 * redelivery makes no second task. A message that its workflow refuses, or that has the key of
 * another task, goes to the dead letters, and its submitter is notified.
 */
export function takeTasks(deps: IntakeDependencies) {
  const { hint, tracing = noTracing } = deps;
  const read = deliveryReader(deps);
  const refuse = deliveryRefuser(deps);
  return async (batch: readonly Delivery[]): Promise<void> => {
    const spans = spansOf(tracing, batch);
    const make = taskMaker<Delivery>({ ...deps, key: "message_id" }, async (delivery, reading) =>
      traced(await read(delivery, reading), spans.get(delivery)),
    );
    const refused = await make(batch);
    await refuse(refused);
    for (const { from, problem } of refused) spans.get(from)?.set({ "error.type": problem.code });
    for (const span of spans.values()) span.end();
    if (refused.length < batch.length) hint();
  };
}

/**
 * A message without a trace begins one. A batch that fails is delivered again: then its spans are
 * made anew.
 */
const spansOf = (tracing: Tracing, batch: readonly Delivery[]): Spans =>
  new Map(
    (tracing.isOn ? batch : []).map((delivery) => {
      const received = { ...delivery, queue: submissionQueue, trace: delivery.trace ?? null };
      return [delivery, processSpan(tracing, received)];
    }),
  );

const traced = (task: NewTask, span: Span | undefined): NewTask =>
  span?.context == null ? task : { ...task, traceContext: traceText(span.context) };
