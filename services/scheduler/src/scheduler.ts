import {
  deadReplyQueue,
  deadRequestQueue,
  expiredQueue,
  heartbeatQueue,
  limits,
  markerQueue,
  ownReplyQueues,
  replyQueue,
  wakeQueue,
} from "@holdfast/contracts";
import { type Broker, cancelHints, type SharedConsumer, wakeHint } from "@holdfast/messaging";
import { type Clock, type Failpoint, type Logger, repeat, systemClock } from "@holdfast/runtime";
import type { StateStore } from "@holdfast/state-store";
import { claimSteps } from "./claim-steps.ts";
import { buryIn } from "./dead-letter.ts";
import { dispatchSteps } from "./dispatch-steps.ts";
import { dispatches as openDispatches } from "./dispatches.ts";
import { dropStaleNotices } from "./drop-stale-notices.ts";
import { keepDeadLetters } from "./keep-dead-letters.ts";
import { keepHeartbeats } from "./keep-heartbeats.ts";
import { laneWindows } from "./lane-windows.ts";
import { markSteps } from "./mark-steps.ts";
import { putBackExpired } from "./put-back-expired.ts";
import { recordReplies } from "./record-replies.ts";
import { relayLost } from "./relay-lost.ts";
import { relaySteps } from "./relay-steps.ts";
import { type Courier, sendNotices } from "./send-notices.ts";

/** What a Scheduler asks of the state store. */
export type SchedulerStore = Pick<
  StateStore,
  | "applyIncidents"
  | "claimDueSteps"
  | "countStepsInFlight"
  | "deleteNotices"
  | "deleteStaleNotices"
  | "findLanes"
  | "findWorkflow"
  | "keepDeadLetters"
  | "keepHeartbeats"
  | "keepPauses"
  | "keepRejectedReplies"
  | "loadCalls"
  | "loadValues"
  | "markDispatchedSteps"
  | "promoteRestedSteps"
  | "takeNotices"
  | "takeUndispatchedSteps"
  | "undispatchSteps"
>;

export interface SchedulerOptions {
  readonly store: SchedulerStore;
  readonly broker: Pick<
    Broker,
    "publish" | "consume" | "consumeBatches" | "consumeShared" | "inspect" | "keepMarker"
  >;
  /**
   * For what others are told. On a connection of its own: the broker stops reading from a connection
   * while it cannot get on with one message, and a submitter's queue may be in any state.
   */
  readonly courier: Courier;
  /** For alerts, which must not wait for a submitter's queue either. */
  readonly alerts: Courier;
  readonly clock?: Clock;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  /** What this instance signs with. */
  readonly actor: string;
  /** The user of its connection to the broker. */
  readonly userId: string;
  /** Ends its loops. */
  readonly signal: AbortSignal;
  /** How many steps of one Agent each Scheduler may have in flight. */
  readonly window: number;
  /** How long it rests at most when nobody wakes it, in milliseconds. */
  readonly pollInterval: number;
  /** Whether a reply must carry the `user_id` that the broker vouches for. */
  readonly identity: "required" | "trusted";
  /** The largest message that Agents read, in bytes. 1 MiB unless said otherwise. */
  readonly maxMessageBytes?: number;
}

export interface Scheduler extends AsyncDisposable {
  /** Resolves once the signal has aborted and all that was claimed has been sent off. */
  readonly ended: Promise<void>;
}

const max = 200;
/**
 * Messages in hand. Together with the largest message they bound what one Scheduler holds: with 1 MiB,
 * replies (100 of its own queue, 50 of the common one, 12 of each of 7 others), requests that came back
 * and dead letters are less than 400 MiB, and only if each is as large as it may be.
 */
const inHand = { replies: 100, expired: 50, dead: 50, heartbeats: 500 };
/** Milliseconds. Nothing waits for dead letters and heartbeats: together they cost the store less. */
const gatherFor = 200;

/** Starts all loops and consumers of one Scheduler; disposal ends the consumers. */
export async function startScheduler(options: SchedulerOptions): Promise<Scheduler> {
  const {
    store,
    broker,
    courier,
    alerts,
    log,
    failpoint,
    actor,
    userId,
    signal,
    identity,
    pollInterval: rest,
  } = options;
  const { window, maxMessageBytes, clock = systemClock } = options;
  const dispatches = openDispatches(clock);
  const takes = new Map<string, number>();
  const windows = laneWindows({ store, broker, window, lockedBy: actor, clock, log, signal });

  const repeating = { signal, log, clock };
  const sending = (kind: "alert" | "news", through: Courier) =>
    repeat(sendNotices({ store, broker: through, kind, clock, log }), {
      name: kind === "alert" ? "alerts" : "notices",
      ...repeating,
    });
  const news = sending("news", courier);
  const urgent = sending("alert", alerts);
  const notify = () => [news, urgent].forEach(({ wake: again }) => again());
  const stale = repeat(dropStaleNotices({ store, log }), { name: "stale notices", ...repeating });
  const cancel = cancelHints(broker);
  const apply: StateStore["applyIncidents"] = async (incidents, how) => {
    const applied = await store.applyIncidents(incidents, how);
    if (applied.told) notify();
    cancel(applied.needless);
    return applied;
  };

  let replies: SharedConsumer | null = null;
  const dispatch = dispatchSteps({
    store,
    apply,
    broker,
    dispatches,
    takes,
    replyTo: () => replies?.own ?? replyQueue,
    userId,
    clock,
    log,
    failpoint,
    actor,
    ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }),
  });
  const relayAfter = () => dispatches.relayAfter();
  const claiming = claimSteps({
    store,
    windows,
    dispatch,
    hint: wakeHint(broker),
    clock,
    log,
    failpoint,
    lockedBy: actor,
    relayAfter,
  });

  const claims = repeat(() => claiming.round(), { name: "claim", ...repeating });
  const { wake } = claims;
  windows.whenRoom(wake);
  const relayed = { store, dispatches, dispatch, wake, notify, clock, log, failpoint };
  const relaying = relaySteps({ ...relayed, relayAfter, rest });
  const marks = repeat(markSteps({ store, dispatches, failpoint }), { name: "mark", ...repeating });
  dispatches.whenToMark(marks.wake);
  const relays = repeat(relaying.round, { name: "relay", ...repeating });

  const recorded = {
    store,
    apply,
    dispatches,
    windows,
    takes,
    claims: claiming,
    wake,
    clock,
    log,
    failpoint,
  };
  const record = recordReplies({ ...recorded, actor, identity });
  const putBack = putBackExpired({ store, apply, windows, wake, log, failpoint, actor });
  const keep = (queue: string) => keepDeadLetters({ store, log, queue });

  await using consumers = new AsyncDisposableStack();
  const queues = { common: replyQueue, owned: ownReplyQueues };
  replies = consumers.use(
    await broker.consumeShared(
      queues,
      { prefetch: inHand.replies, max, bury: buryIn(store, replyQueue) },
      record,
    ),
  );
  consumers.use(
    await broker.consumeBatches(
      expiredQueue,
      { prefetch: inHand.expired, max, bury: buryIn(store, expiredQueue) },
      putBack,
    ),
  );
  for (const queue of [deadRequestQueue, deadReplyQueue]) {
    // This is the last place for them: of what is too large the beginning is kept.
    const how = {
      prefetch: inHand.dead,
      max: inHand.dead,
      gatherFor,
      oversized: "cut",
      bury: buryIn(store, queue),
    } as const;
    consumers.use(await broker.consumeBatches(queue, how, keep(queue)));
  }
  const beats = keepHeartbeats({ store, log });
  consumers.use(
    await broker.consumeBatches(
      heartbeatQueue,
      { prefetch: inHand.heartbeats, max, gatherFor, maxBytes: limits.hintBytes },
      beats,
    ),
  );
  consumers.use(await broker.consume(wakeQueue, { prefetch: 1 }, async () => wake()));
  const lost = relayLost({ store, dispatches, relay: relaying.soon, wake: relays.wake, log });
  consumers.use(await broker.keepMarker(markerQueue, lost));
  const owned = consumers.move();

  const ended = Promise.all([
    claims.ended,
    marks.ended,
    relays.ended,
    news.ended,
    urgent.ended,
    stale.ended,
  ]).then(() => claiming.drained());
  return { ended, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
