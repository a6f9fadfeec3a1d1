import {
  canaryQueue,
  deadReplyQueue,
  deadRequestQueue,
  expiredQueue,
  heartbeatQueue,
  limits,
  replyQueue,
  wakeQueue,
} from "@holdfast/contracts";
import { cancelHints, wakeHint, wakeReasonOf } from "@holdfast/messaging";
import { disposableStack, noMetrics, noTracing, systemClock } from "@holdfast/runtime";
import { claimSteps } from "./claim/claim-steps.ts";
import { fleetReader } from "./claim/read-fleet.ts";
import { dispatchSteps } from "./dispatch/dispatch-steps.ts";
import { confirmSteps, resendLost, resendSteps } from "./dispatch/resend-steps.ts";
import { rememberSlowConfirms } from "./dispatch/slow-confirms.ts";
import { unfitContracts } from "./dispatch/unfit-contracts.ts";
import { deadLetterTo, recordDeadLetters } from "./intake/dead-letters.ts";
import { recordHeartbeats } from "./intake/record-heartbeats.ts";
import { requeueExpired } from "./intake/requeue-expired.ts";
import { type Loop, lastingLoops, loopSet } from "./loop-set.ts";
import { exposeLoads, schedulerMeasures } from "./metrics/scheduler-measures.ts";
import { observer } from "./observer.ts";
import { dropStaleNotifications, sendNotifications } from "./outbox/send-notifications.ts";
import { guardRemotes } from "./remotes/guard-remotes.ts";
import { applyAndNotify, recordReplies, replyAddress } from "./replies/record-replies.ts";
import type { SchedulerOptions } from "./scheduler-options.ts";
import { loadsOf } from "./state/allowances.ts";
import { type LoopName, newState } from "./state/scheduler-state.ts";
import { fireDueWaits } from "./waits/fire-due-waits.ts";

export interface Scheduler extends AsyncDisposable {
  /** Resolves once the signal has aborted and all that its loops claimed has been dispatched. */
  readonly ended: Promise<void>;
  /** The lanes of all workflows. */
  readonly lanes: () => readonly string[];
  /** How many Schedulers there are. */
  readonly schedulers: () => number;
}

/**
 * Starts all loops and consumers of one Scheduler. Disposal ends the consumers, and waits until
 * what was claimed with their last replies has been dispatched.
 */
export async function startScheduler(options: SchedulerOptions): Promise<Scheduler> {
  const parts = openParts(options);
  const { loops, claims } = parts;
  const { admission } = parts.state;
  await using lasting = disposableStack();
  lasting.use(parts.lasting);
  loops.start(loopsOf(parts, options));
  // While a broker that is slow holds up what was claimed, that is remembered, also once all else
  // has ended.
  parts.lasting.start([{ name: "outages", round: rememberSlowConfirms(parts) }]);
  await using consumers = disposableStack();
  for (const consume of consumersOf(parts)) consumers.use(await consume());
  const [consuming, remembering] = [consumers.move(), lasting.move()];
  return {
    ended: loops.ended().then(claims.drained),
    lanes: () => admission.lanes,
    schedulers: () => admission.schedulers,
    async [Symbol.asyncDispose]() {
      await consuming.disposeAsync();
      await claims.drained();
      await remembering.disposeAsync();
    },
  };
}

/**
 * Builds the state of a Scheduler, and what its loops and consumers share; nothing runs before they
 * start.
 */
function openParts(options: SchedulerOptions) {
  const { store, broker, log, failpoint, actor, userId, signal, identity } = options;
  const { clock = systemClock, tracing = noTracing, metrics = noMetrics } = options;
  const { optimisations = {}, maxInFlight, batchReserve, maxMessageBytes } = options;
  const loops = loopSet<LoopName>({ signal, log, clock, metrics });
  const lasting = lastingLoops<LoopName>({ log, clock, metrics });
  const wake = (): void => loops.wake("claim");
  const notify = (): void => {
    loops.wake("notifications");
    loops.wake("alerts");
  };
  const state = newState({ ...optimisations, maxInFlight, batchReserve }, clock.now());
  const wakeLoop = (loop: LoopName): void => {
    loops.wake(loop);
    lasting.wake(loop);
  };
  const observed = observer({ state, clock, wake: wakeLoop, watch: options.watch });
  const given = { store, broker, log, failpoint, clock, signal, actor, userId, identity, tracing };
  const shared = { ...observed, ...given, loops, lasting, wake, notify };

  exposeLoads(metrics, () => loadsOf(state, clock.now()));
  const measures = schedulerMeasures(metrics, (name) => state.admission.named.includes(name));
  const refuse = cancelHints(broker);
  const opened = (ms: number): void => observed.see({ kind: "waitOpened", in: ms });
  const apply = applyAndNotify({ store, notify, cancel: refuse, opened });
  const replies = replyAddress(broker, optimisations);
  const fleet = fleetReader(shared);
  const unfit = unfitContracts(shared);
  const replyTo = replies.current;
  const dispatch = dispatchSteps({ ...shared, unfit, apply, replyTo, maxMessageBytes });
  const claims = claimSteps({ ...shared, fleet, dispatch, hint: wakeHint(broker), measures });
  return { ...shared, measures, refuse, apply, replies, fleet, dispatch, claims };
}

type Parts = ReturnType<typeof openParts>;

/**
 * Each round says when the next is due; the comments say how often that is, unless another loop
 * wakes it.
 */
function loopsOf(
  parts: Parts,
  { notificationBroker, alertBroker, pollInterval: maxDelay }: SchedulerOptions,
): readonly Loop<LoopName>[] {
  const { claims, fleet } = parts;
  const sending = (kind: "alert" | "status", broker: typeof alertBroker) =>
    sendNotifications({ ...parts, broker, kind });
  const resend = resendSteps({ ...parts, maxDelay });
  return [
    // Sends status messages and events from the outbox; every minute.
    { name: "notifications", round: sending("status", notificationBroker) },
    // Sends alerts from the outbox; every minute.
    { name: "alerts", round: sending("alert", alertBroker) },
    // Deletes notifications that could not be sent for a day; every ten minutes.
    { name: "stale notifications", round: dropStaleNotifications(parts) },
    // Claims due steps and dispatches them; every minute.
    { name: "claim", round: () => claims.round() },
    // Reads the slots that Agents advertise; every second, and twice as often while they work.
    { name: "slots", round: () => fleet.slotsRound() },
    // Counts what is in flight where a step may have been counted twice; claims and replies have it
    // counted, too.
    { name: "count", round: () => fleet.countRound() },
    // Marks confirmed requests that wait long for a reply; every minute.
    { name: "confirm", round: confirmSteps(parts) },
    // Opens, probes and closes the breakers of remote services; every half second while there are
    // claims, or a breaker is open.
    { name: "remotes", round: guardRemotes(parts) },
    // Ends waits whose time has come; at the next deadline, and every 5 s.
    { name: "waits", round: fireDueWaits(parts) },
    // Stages steps whose delay is over, and resends lost requests; every POLL_INTERVAL at the
    // latest.
    { name: "resend", round: resend },
  ];
}

const max = 200;
/**
 * Prefetch. Together with the largest message it bounds what one Scheduler holds: with 1 MiB,
 * replies (100 of its own queue, 50 of the common one, 12 of each of 7 others), expired requests
 * and dead letters are less than 400 MiB, and only if each is as large as it may be.
 */
const prefetch = { replies: 100, expired: 50, dead: 50, heartbeats: 500 };
/** Milliseconds. Dead letters and heartbeats are not urgent: together they cost the store less. */
const collectFor = 200;

/** Every consumer, in the order in which they start. */
function consumersOf(parts: Parts): readonly (() => Promise<AsyncDisposable>)[] {
  const { broker, store, replies, see } = parts;
  const deadLetter = (queue: string) => deadLetterTo(store, queue);
  const dead = { prefetch: prefetch.dead, max: prefetch.dead, collectFor } as const;
  const consumeDead = (queue: string) => () =>
    broker.consumeBatches(
      queue,
      // No queue comes after this one, so a message that is too large is kept without its end.
      { ...dead, oversized: "cut", deadLetter: deadLetter(queue) },
      recordDeadLetters({ ...parts, queue }),
    );
  const heartbeats = { prefetch: prefetch.heartbeats, max, collectFor, maxBytes: limits.hintBytes };
  return [
    () =>
      replies.consume(
        { prefetch: prefetch.replies, max, deadLetter: deadLetter(replyQueue) },
        recordReplies(parts),
      ),
    () =>
      broker.consumeBatches(
        expiredQueue,
        { prefetch: prefetch.expired, max, deadLetter: deadLetter(expiredQueue) },
        requeueExpired(parts),
      ),
    consumeDead(deadRequestQueue),
    consumeDead(deadReplyQueue),
    () => broker.consumeBatches(heartbeatQueue, heartbeats, recordHeartbeats(parts)),
    () =>
      broker.consume(wakeQueue, { prefetch: 1 }, async (hint) =>
        see({ kind: "hinted", due: wakeReasonOf(hint) }),
      ),
    () => broker.keepCanaryQueue(canaryQueue, resendLost(parts)),
  ];
}
