import type { TraceContext } from "@holdfast/domain";
import { attemptSpan, type Tracing } from "@holdfast/runtime";
import type { ReportedTaskEvent } from "@holdfast/state-store";

interface Recovery {
  /** The trace of the task. */
  readonly context: TraceContext;
  /** What the policy of the step made of it. */
  readonly action: string | undefined;
  /** The instant on our monotonic clock when the transaction began. */
  readonly begun: number;
}

/** Gives each remedy of the Supervisor a span: below the attempt that was silent, or below the task whose limit passed. */
export const recoveryTracer =
  (tracing: Tracing) =>
  ({ taskId, event }: ReportedTaskEvent, { context, action, begun }: Recovery): void => {
    const age = performance.now() - begun;
    const common = { "holdfast.task.id": taskId, "holdfast.action": action };
    if (event.kind !== "expired") {
      const attributes = { ...common, "error.type": "task.expired" };
      tracing.span("recover task", { parent: context, age, attributes }).end(attributes);
      return;
    }
    const { step, attempt } = event;
    const parent = attemptSpan(context, { taskId, step, attempt }).context;
    const attributes = { ...common, "holdfast.step": step, "holdfast.attempt": attempt };
    const span = tracing.span(`recover ${step}`, { parent, age, attributes });
    span.end({ "error.type": "step.expired" });
  };
