import { expiredQueue, StepRequest } from "@holdfast/contracts";
import type { AttemptRef, TaskEvent } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import {
  type Clock,
  type Failpoint,
  type Logger,
  noTracing,
  type Tracing,
  traceFields,
} from "@holdfast/runtime";
import type { SchedulerStore } from "@holdfast/state-store";
import type { SchedulerMeasures } from "../metrics/scheduler-measures.ts";
import type { Observer } from "../observer.ts";
import { toDeadLetter } from "./dead-letters.ts";
import { readEach, traceDeliveries, unreadableFields } from "./deliveries.ts";

interface RequeueDependencies extends Pick<Observer, "see"> {
  readonly store: Pick<SchedulerStore, "recordDeadLetters">;
  readonly apply: SchedulerStore["applyEvents"];
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly actor: string;
  readonly measures: Pick<SchedulerMeasures, "returned">;
  /** The tracing of what is requeued; none unless given. */
  readonly tracing?: Tracing;
}

interface Returned extends Pick<StepRequest, "taskId" | "step" | "agent"> {
  readonly delivery: Delivery;
  readonly reason: string;
  readonly event: TaskEvent & AttemptRef;
}

/**
 * Handles requests that the broker dead-lettered from an Agent's queue: no Agent took them in time,
 * they exceeded the delivery limit, or an Agent could not read them. A step whose request expired
 * is requeued, and no failure is counted. Any of them may have had an effect: an expired message
 * may have been delivered before.
 */
export function requeueExpired(deps: RequeueDependencies) {
  const { store, apply, see, log, failpoint, actor, measures, tracing = noTracing } = deps;
  return async (batch: readonly Delivery[]): Promise<void> => {
    const { readable, unreadable } = await readEach(batch, read, deps);
    if (unreadable.length > 0) log.error(unreadableFields(unreadable), "request unreadable");
    for (const { delivery } of unreadable) delivery.reject();
    if (readable.length === 0) return;
    const names = () => readable.map(({ step }) => step);
    failpoint("scheduler.requeuing", names);
    const events = readable.map(({ taskId, event }) => ({ taskId, event }));
    const reasons = new Map(readable.map(({ delivery, reason }) => [delivery, reason]));
    const applied = await traceDeliveries(readable.map(toTraced), () => apply(events, { actor }), {
      tracing,
      queue: expiredQueue,
      dispositionOf: (delivery) => ({ "error.type": reasons.get(delivery) }),
    });
    failpoint("scheduler.requeued", names);
    const agents = readable.map(({ agent }) => agent);
    see({ kind: "returned", agents, outcomes: applied.outcomes });
    for (const { taskId, step, agent, reason, event, delivery } of readable) {
      const { attempt } = event;
      measures.returned(agent, reason);
      const fields = { taskId, step, attempt, agent, reason, ...traceFields(delivery.trace) };
      log.warn(fields, "request dead-lettered");
    }
    const refused = readable.filter(({ reason }) => reason === "rejected");
    if (refused.length === 0) return;
    await store.recordDeadLetters(
      refused.map(({ delivery, reason }) =>
        toDeadLetter(delivery, { queue: expiredQueue, reason }),
      ),
    );
  };
}

const toTraced = ({ delivery, taskId, step, agent, event }: Returned) => ({
  delivery,
  attributes: {
    "holdfast.task.id": taskId,
    "holdfast.step": step,
    "holdfast.attempt": event.attempt,
    "holdfast.agent": agent,
  },
});

function read(delivery: Delivery): Returned {
  const request = StepRequest.decode(delivery.body);
  const { taskId, step, agent } = request;
  const reason = delivery.deathReason ?? "unknown";
  const event = toEvent(request, { reason, isBundled: delivery.isBundled });
  return { delivery, reason, taskId, step, event, agent };
}

type Death = Pick<Delivery, "isBundled"> & { readonly reason: string };

/** Which request of a bundle could not be read is unknown: all of them may be retried. */
function toEvent(
  { step, attempt, token }: StepRequest,
  { reason, isBundled }: Death,
): Returned["event"] {
  const ref = { step, attempt, token };
  if (reason === "expired") return { kind: "neverStarted", ...ref };
  const failure = { attempted: true, effect: "unknown", retryAfter: null } as const;
  return reason === "rejected"
    ? { kind: "failed", code: "step.request_rejected", transient: isBundled, ...failure, ...ref }
    : { kind: "failed", code: "step.delivery_limit", transient: true, ...failure, ...ref };
}
