import { replyExchange, replyRoute, StepReply, type StepRequest } from "@holdfast/contracts";
import type { Broker, OutgoingMessage } from "@holdfast/messaging";
import { type Clock, type Failpoint, sendSpan, sleep, type Tracing } from "@holdfast/runtime";
import type { Outcome } from "../attempt/attempt-step.ts";
import type { Bundling } from "./bundling.ts";
import type { ReceivedRequest } from "./received-request.ts";
import { isRefusal } from "./refusals.ts";

interface ReplyOptions {
  readonly agent: string;
  readonly broker: Pick<Broker, "publish">;
  /** The user of the connection: the broker vouches for it in every reply. */
  readonly userId: string;
  readonly bundling: Bundling;
  readonly clock: Clock;
  /** Called once a reply is too late, with the instant since when the broker has not taken it. */
  readonly onLost: (since: number) => void;
  readonly failpoint: Failpoint;
  readonly tracing: Tracing;
}

/**
 * An outcome that waits to be sent. An output is written at once, and let go of: as a value it
 * takes many times the memory of its text, for as long as the broker is away.
 */
export interface PreparedReply {
  /** The outcome without the output. */
  readonly outcome: Outcome;
  /** The body of the reply; null: what is sent depends on the moment. */
  readonly body: Buffer | null;
}

interface Reply {
  readonly received: ReceivedRequest;
  readonly reply: PreparedReply;
  /** Whether the broker may deliver the request again. */
  readonly isDoubtful: boolean;
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
}

/** Milliseconds between two attempts to publish a reply. */
const retryDelay = 50;

const contentOf = ({ taskId, step, attempt, token }: StepRequest, bundling: Bundling) => ({
  taskId,
  step,
  attempt,
  token,
  bundleSize: bundling.bundleSize(),
});

/** Encodes an output now; what else a reply says is encoded when it is sent. */
export function prepareReply(
  outcome: Outcome,
  { request, bundling }: { readonly request: StepRequest; readonly bundling: Bundling },
): PreparedReply {
  if (outcome.kind !== "completed") return { outcome, body: null };
  const body = StepReply.encode({ ...contentOf(request, bundling), outcome });
  return { outcome: { kind: "completed", output: null }, body };
}

/**
 * Publishes replies. Resolves to whether the broker stored the reply: until the deadline a failed
 * publish is retried, after it the Agent has to be silent.
 *
 * A refusal goes the way that the acknowledgement before it went: AMQP confirms no acknowledgement,
 * and a connection may lose what this process sends on it while the other one works. What cannot go
 * that way says that the broker may deliver the request again.
 */
export const replySender =
  ({ agent, broker, userId, bundling, clock, onLost, failpoint, tracing }: ReplyOptions) =>
  async ({ received, reply, isDoubtful, signal }: Reply): Promise<boolean> => {
    const { request, delivery, isRepeated } = received;
    let isAfterAck = isRefusal(reply.outcome) && !isDoubtful;
    const { taskId, step, attempt } = request;
    const content = contentOf(request, bundling);
    const write = (): Buffer =>
      StepReply.encode({
        ...content,
        outcome: withDelivery(
          reply.outcome,
          (isRefusal(reply.outcome) && !isAfterAck) || isRepeated(),
        ),
      });
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
      body: reply.body ?? write(),
      ...bundling.replyBundle(`${agent} ${queue} ${isUrgent}`),
    });
    const parent = received.span?.context ?? null;
    const span = parent === null ? null : sendSpan(tracing, messageOf(), { parent });
    const trace = span === null ? {} : { trace: span.context };
    const since = clock.now();
    while (!signal.aborted) {
      const publish = isAfterAck ? delivery.answer : broker.publish;
      const publishing = publish({ ...messageOf(), ...trace });
      failpoint("agent.replying", () => [step]);
      const result = await publishing;
      if (result === "stored") span?.end();
      if (result === "stored") return true;
      // The Scheduler that owned this queue is gone: any Scheduler may read the reply.
      if (result === "unroutable") queue = undefined;
      else isAfterAck = false;
      await sleep(clock, retryDelay, signal);
    }
    span?.end({ "error.type": "deadline" });
    onLost(since);
    return false;
  };

/** A failure also says whether its `effect` may be true of this delivery only. */
const withDelivery = (outcome: Outcome, redelivered: boolean): Outcome =>
  outcome.kind === "failed" ? { ...outcome, redelivered } : outcome;
