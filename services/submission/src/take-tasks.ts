import { submissionQueue } from "@holdfast/contracts";
import { traceText } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import { type Failpoint, type Logger, noTracing, type Span, type Tracing } from "@holdfast/runtime";
import type { NewTask, SubmissionStore } from "@holdfast/state-store";
import type { OwnsStatusQueue } from "./access/status-queues.ts";
import { endSpans, spansOf } from "./delivery-spans.ts";
import { taskMaker } from "./make-tasks.ts";
import { deliveryReader } from "./read-delivery.ts";
import { deliveryRefuser, refusedTasks } from "./refuse-deliveries.ts";
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

/**
 * Takes tasks by message instead of HTTP. A message is acknowledged once its task is durable, and a
 * redelivery makes no second task. A message that its workflow refuses, or that has the key of
 * another task, goes to the dead letters, and its submitter is notified.
 */
export function takeTasks(deps: IntakeDependencies) {
  const { hint, tracing = noTracing } = deps;
  const read = deliveryReader(deps);
  const refuse = deliveryRefuser(refusedTasks, deps);
  return async (batch: readonly Delivery[]): Promise<void> => {
    const spans = spansOf(tracing, batch, submissionQueue);
    const make = taskMaker<Delivery>({ ...deps, key: "message_id" }, async (delivery, reading) =>
      traced(await read(delivery, reading), spans.get(delivery)),
    );
    const refused = await make(batch);
    await refuse(refused);
    endSpans(spans, refused);
    if (refused.length < batch.length) hint();
  };
}

const traced = (task: NewTask, span: Span | undefined): NewTask =>
  span?.context == null ? task : { ...task, traceContext: traceText(span.context) };
