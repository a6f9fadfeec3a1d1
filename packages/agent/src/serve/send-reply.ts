import { replyExchange, replyRoute, StepReply } from "@holdfast/contracts";
import type { Broker, OutgoingMessage } from "@holdfast/messaging";
import { type Clock, type Failpoint, sendSpan, sleep, type Tracing } from "@holdfast/runtime";
import type { Outcome } from "../attempt/attempt-step.ts";
import type { Batching } from "./batching.ts";
import type { ReceivedRequest } from "./received-request.ts";

interface Options {
  readonly agent: string;
  readonly broker: Pick<Broker, "publish">;
  /** The user of the connection: the broker vouches for it in every reply. */
  readonly userId: string;
  readonly batching: Batching;
  readonly clock: Clock;
  readonly failpoint: Failpoint;
  readonly tracing: Tracing;
}

interface Reply {
  readonly received: ReceivedRequest;
  readonly outcome: Outcome;
  /** Whether the broker may deliver the request again. */
  readonly isDoubtful: boolean;
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
}

/** Milliseconds between two attempts to publish a reply. */
const retryDelay = 50;

/**
 * Publishes replies. Resolves to whether the broker stored the reply: until the deadline a failed publish
 * is retried, after it the Agent has to be silent.
 */
export const replySender =
  ({ agent, broker, userId, batching, clock, failpoint, tracing }: Options) =>
  async ({ received, outcome, isDoubtful, signal }: Reply): Promise<boolean> => {
    const { request, delivery, isRepeated } = received;
    const { taskId, step, attempt, token } = request;
    const reply = { taskId, step, attempt, token, takes: batching.maxBatch() };
    let queue = delivery.replyTo;
    const { isUrgent } = delivery;
    const messageOf = (): OutgoingMessage => ({
      exchange: replyExchange,
      routingKey: replyRoute(agent, taskId, queue),
      type: StepReply.type,
      messageId: `${taskId}:${step}:${attempt}`,
      correlationId: taskId,
      userId,
      isUrgent,
      body: StepReply.encode({
        ...reply,
        outcome: withDelivery(outcome, isDoubtful || isRepeated()),
      }),
      ...batching.replyBundle(`${agent} ${queue} ${isUrgent}`),
    });
    const parent = received.span?.context ?? null;
    const span = parent === null ? null : sendSpan(tracing, messageOf(), { parent });
    const trace = span === null ? {} : { trace: span.context };
    while (!signal.aborted) {
      const publishing = broker.publish({ ...messageOf(), ...trace });
      failpoint("agent.replying", () => [step]);
      const result = await publishing;
      if (result === "stored") span?.end();
      if (result === "stored") return true;
      // The Scheduler that owned this queue is gone: any Scheduler may read the reply.
      if (result === "unroutable") queue = undefined;
      await sleep(clock, retryDelay, signal);
    }
    span?.end({ "error.type": "deadline" });
    return false;
  };

/** A failure also says whether its `effect` may be true of this delivery only. */
const withDelivery = (outcome: Outcome, redelivered: boolean): Outcome =>
  outcome.kind === "failed" ? { ...outcome, redelivered } : outcome;
