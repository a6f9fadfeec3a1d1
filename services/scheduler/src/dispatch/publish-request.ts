import { limits, requestExchange, StepRequest } from "@holdfast/contracts";
import { fromTraceText } from "@holdfast/domain";
import type { Broker } from "@holdfast/messaging";
import {
  type Clock,
  type Failpoint,
  failureLog,
  type Logger,
  noTracing,
  type Tracing,
  traceFields,
} from "@holdfast/runtime";
import type { ClaimedStep, ReportedTaskEvent } from "@holdfast/state-store";
import type { BatchSizes } from "./batch-sizes.ts";
import type { BuiltRequest } from "./build-requests.ts";
import type { Dispatches } from "./dispatches.ts";
import { neverStarted, tooLarge } from "./request-faults.ts";
import { traceAttempt } from "./trace-attempt.ts";

export interface PublishDependencies {
  readonly broker: Pick<Broker, "publish">;
  readonly dispatches: Dispatches;
  readonly batchSizes: Pick<BatchSizes, "of">;
  /** The queue that Agents reply to. */
  readonly replyTo: () => string;
  /** The user of our connection: Agents take requests only from Schedulers, and the broker vouches for it. */
  readonly userId: string;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  /** The largest request that Agents read. */
  readonly maxMessageBytes?: number;
  /** The tracing of requests; none unless given. */
  readonly tracing?: Tracing;
}

/** How a step was claimed. */
export interface Claiming {
  /** The instant on our monotonic clock when the claim began. */
  readonly claimedAt: number;
  /** Another Scheduler claimed it, and its request may be lost. */
  readonly isRelay: boolean;
}

/** Publishes the request of one claimed step. Resolves to the event that it reports; null: it was sent, or may have been. */
export function requestPublisher(deps: PublishDependencies) {
  const { broker, dispatches, batchSizes, replyTo, userId, clock, log, failpoint } = deps;
  const { maxMessageBytes = limits.messageBytes, tracing = noTracing } = deps;
  // A broker that blocks its publishers confirms nothing for as long: the metric of messages counts each.
  const unconfirmed = failureLog(clock);

  return async (
    { claim, body, undoes }: Extract<BuiltRequest, { body: unknown }>,
    { claimedAt, isRelay }: Claiming,
  ): Promise<ReportedTaskEvent | null> => {
    // What is left of the time to start, as the state store counts it: no host's clock is asked.
    const age = clock.now() - claimedAt;
    const left = claim.startBy - claim.now - age;
    const trace = traceAttempt(tracing, { claim, isRelay, age, undoes });
    const refuse = (event: ReportedTaskEvent, code: string): ReportedTaskEvent => {
      trace?.end({ "error.type": code });
      return event;
    };
    if (left <= 0) return refuse(neverStarted(claim), "step.never_started");
    if (body.length > maxMessageBytes) {
      const event = tooLarge(claim, body.length, maxMessageBytes);
      return refuse(event, "step.request_too_large");
    }
    dispatches.publishing(claim, claimedAt);
    const message = {
      exchange: requestExchange,
      routingKey: claim.agent,
      type: StepRequest.type,
      messageId: `${claim.taskId}:${claim.name}:${claim.attempt}`,
      correlationId: claim.taskId,
      replyTo: replyTo(),
      userId,
      isUrgent: claim.priority === "urgent",
      expirationMs: Math.ceil(left),
      body,
      // Requests to one Agent that are as urgent share a message.
      bundle: {
        key: `${claim.agent} ${claim.priority} ${timeLeft(left)}`,
        most: batchSizes.of(claim.agent),
      },
    };
    const span = trace?.send(message);
    const publishing = broker.publish(
      span === undefined ? message : { ...message, trace: span.context },
    );
    failpoint("scheduler.publishing", () => [claim.name]);
    const result = await publishing;
    const ended = result === "stored" ? {} : { "error.type": result };
    span?.end(ended);
    trace?.end(ended);
    if (result === "stored") dispatches.confirmed(claim);
    else dispatches.failed(claim);
    if (result === "stored") unconfirmed.succeeded();
    const failures = result === "unknown" ? unconfirmed.failed(result) : null;
    if (failures !== null) log.warn({ ...fieldsOf(claim), failures }, "request not confirmed");
    if (result !== "unroutable") return null;
    log.warn(fieldsOf(claim), "request unroutable");
    return neverStarted(claim);
  };
}

/** Requests of one message expire together, so none shares it with one that has less than half of its time. */
const timeLeft = (left: number): number => Math.ceil(Math.log2(left));

const fieldsOf = ({ taskId, name: step, attempt, agent, traceContext = null }: ClaimedStep) => ({
  taskId,
  step,
  attempt,
  agent,
  ...traceFields(fromTraceText(traceContext)),
});
