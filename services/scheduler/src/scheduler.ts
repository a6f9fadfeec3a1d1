import {
  deadReplyQueue,
  deadRequestQueue,
  expiredQueue,
  heartbeatQueue,
  limits,
  markerQueue,
  replyQueue,
  wakeQueue,
} from "@holdfast/contracts";
import { disposableStack } from "@holdfast/runtime";
import { markSteps } from "./dispatch/mark-steps.ts";
import { relayLost } from "./dispatch/relay-lost.ts";
import { deadLetterTo } from "./intake/dead-letter.ts";
import { recordDeadLetters } from "./intake/record-dead-letters.ts";
import { recordHeartbeats } from "./intake/record-heartbeats.ts";
import { requeueExpired } from "./intake/requeue-expired.ts";
import type { Loop } from "./loop-set.ts";
import { dropStaleNotifications } from "./outbox/drop-stale-notifications.ts";
import { sendNotifications } from "./outbox/send-notifications.ts";
import { recordReplies } from "./replies/record-replies.ts";
import {
  type LoopName,
  type SchedulerContext,
  type SchedulerOptions,
  schedulerContext,
} from "./scheduler-context.ts";

export interface Scheduler extends AsyncDisposable {
  /** Resolves once the signal has aborted and all that its loops claimed has been dispatched. */
  readonly ended: Promise<void>;
  /** The lanes of all workflows. */
  readonly lanes: () => readonly string[];
  /** How many Schedulers there are. */
  readonly schedulers: () => number;
}

/**
 * Starts all loops and consumers of one Scheduler. Disposal ends the consumers, and waits until what was claimed with
 * their last replies has been dispatched.
 */
export async function startScheduler(options: SchedulerOptions): Promise<Scheduler> {
  const context = schedulerContext(options);
  const { loops, claims } = context;
  loops.start(loopsOf(context, options));
  await using consumers = disposableStack();
  for (const consume of consumersOf(context)) consumers.use(await consume());
  const owned = consumers.move();
  return {
    ended: loops.ended().then(claims.drained),
    lanes: context.limits.lanes,
    schedulers: context.limits.schedulers,
    async [Symbol.asyncDispose]() {
      await owned.disposeAsync();
      await claims.drained();
    },
  };
}

/** Each round says when the next is due; the comments say how often that is, unless another loop wakes it. */
function loopsOf(
  context: SchedulerContext,
  { notificationBroker, alertBroker }: SchedulerOptions,
): readonly Loop<LoopName>[] {
  const sending = (kind: "alert" | "status", broker: typeof alertBroker) =>
    sendNotifications({ ...context, broker, kind });
  return [
    // Sends status messages and events from the outbox; every minute.
    { name: "notifications", round: sending("status", notificationBroker) },
    // Sends alerts from the outbox; every minute.
    { name: "alerts", round: sending("alert", alertBroker) },
    // Deletes notifications that could not be sent for a day; every ten minutes.
    { name: "stale notifications", round: dropStaleNotifications(context) },
    // Claims due steps and dispatches them; every minute.
    { name: "claim", round: () => context.claims.round() },
    // Reads the slots that Agents advertise; every second, and twice as often while they work.
    { name: "slots", round: () => context.limits.round() },
    // Marks confirmed requests that wait long for a reply; every minute.
    { name: "mark", round: markSteps(context) },
    // Opens, probes and closes the breakers of remote services; every half second while there are claims, or a breaker is open.
    { name: "remotes", round: context.guard },
    // Stages steps whose delay is over, and relays lost requests; every POLL_INTERVAL at the latest.
    { name: "relay", round: context.relay.round },
  ];
}

const max = 200;
/**
 * Prefetch. Together with the largest message it bounds what one Scheduler holds: with 1 MiB, replies (100 of its
 * own queue, 50 of the common one, 12 of each of 7 others), expired requests and dead letters are less than 400
 * MiB, and only if each is as large as it may be.
 */
const prefetch = { replies: 100, expired: 50, dead: 50, heartbeats: 500 };
/** Milliseconds. Dead letters and heartbeats are not urgent: together they cost the store less. */
const gatherFor = 200;

/** Every consumer, in the order in which they start. */
function consumersOf(context: SchedulerContext): readonly (() => Promise<AsyncDisposable>)[] {
  const { broker, store, replies, loops, relay } = context;
  const deadLetter = (queue: string) => deadLetterTo(store, queue);
  const dead = { prefetch: prefetch.dead, max: prefetch.dead, gatherFor } as const;
  const consumeDead = (queue: string) => () =>
    broker.consumeBatches(
      queue,
      // No queue comes after this one, so a message that is too large is kept without its end.
      { ...dead, oversized: "cut", deadLetter: deadLetter(queue) },
      recordDeadLetters({ ...context, queue }),
    );
  const heartbeats = { prefetch: prefetch.heartbeats, max, gatherFor, maxBytes: limits.hintBytes };
  return [
    () =>
      replies.consume(
        { prefetch: prefetch.replies, max, deadLetter: deadLetter(replyQueue) },
        recordReplies(context),
      ),
    () =>
      broker.consumeBatches(
        expiredQueue,
        { prefetch: prefetch.expired, max, deadLetter: deadLetter(expiredQueue) },
        requeueExpired(context),
      ),
    consumeDead(deadRequestQueue),
    consumeDead(deadReplyQueue),
    () => broker.consumeBatches(heartbeatQueue, heartbeats, recordHeartbeats(context)),
    () => broker.consume(wakeQueue, { prefetch: 1 }, async () => loops.wake("claim")),
    () =>
      broker.keepMarker(
        markerQueue,
        relayLost({ ...context, relay: relay.soon, wake: () => loops.wake("relay") }),
      ),
  ];
}
