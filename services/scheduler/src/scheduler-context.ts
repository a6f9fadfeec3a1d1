import { type Broker, cancelHints, wakeHint } from "@holdfast/messaging";
import {
  type Clock,
  type Failpoint,
  type Logger,
  type Metrics,
  noMetrics,
  noTracing,
  systemClock,
  type Tracing,
} from "@holdfast/runtime";
import type { AppliedEvents, SchedulerStore } from "@holdfast/state-store";
import { claimSteps, type StepClaims } from "./claim/claim-steps.ts";
import { type InFlightLimits, inFlightLimits } from "./claim/in-flight-limits.ts";
import { type BatchSizes, batchSizes as openBatchSizes } from "./dispatch/batch-sizes.ts";
import { dispatchSteps } from "./dispatch/dispatch-steps.ts";
import { type Dispatches, dispatches as openDispatches } from "./dispatch/dispatches.ts";
import { relaySteps, type StepRelay } from "./dispatch/relay-steps.ts";
import { slowConfirms } from "./dispatch/slow-confirms.ts";
import { unfitContracts } from "./dispatch/unfit-contracts.ts";
import { type LoopSet, loopSet } from "./loop-set.ts";
import { exposeLanes } from "./metrics/expose-lanes.ts";
import { type SchedulerMeasures, schedulerMeasures } from "./metrics/scheduler-measures.ts";
import type { NotificationBroker } from "./outbox/send-notifications.ts";
import { guardRemotes, type RemoteGuard } from "./remotes/guard-remotes.ts";
import { type ReplyAddress, replyAddress } from "./replies/reply-address.ts";

/** What the loops and consumers of a Scheduler ask of the state store: all but what its process does beside them. */
export type LoopStore = Omit<
  SchedulerStore,
  "findFleetFacts" | "ping" | "recordInstance" | "recordStandstills"
>;

export interface SchedulerOptions {
  readonly store: LoopStore;
  readonly broker: Pick<
    Broker,
    | "publish"
    | "consume"
    | "consumeBatches"
    | "consumeShared"
    | "declareAgent"
    | "inspect"
    | "keepMarker"
    | "oldestMs"
  >;
  /**
   * Publishes status messages and events. It has a connection of its own: the broker stops reading from a
   * connection while it cannot get on with one message, and a submitter's queue may be in any state.
   */
  readonly notificationBroker: NotificationBroker;
  /** Publishes alerts, which must not wait for a submitter's queue either. */
  readonly alertBroker: NotificationBroker;
  readonly clock?: Clock;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  /** The name of this instance, in the history and in `locked_by`. */
  readonly actor: string;
  /** The user of its connection to the broker. */
  readonly userId: string;
  /** Ends its loops. */
  readonly signal: AbortSignal;
  /** How many steps of one Agent each Scheduler may have in flight, whatever the Agent advertises. */
  readonly maxInFlight: number;
  /** Percent of the slots of a claim that are for the band `batch`, if a step of it is due; none unless given. */
  readonly batchReserve?: number;
  /** The longest delay between two rounds of the relay, in milliseconds. */
  readonly pollInterval: number;
  /** Whether a reply must carry the `user_id` that the broker vouches for. */
  readonly identity: "required" | "trusted";
  /** The largest message that Agents read, in bytes. 1 MiB unless given. */
  readonly maxMessageBytes?: number;
  /** The tracing of what it does; none unless given. */
  readonly tracing?: Tracing;
  /** Optimisations, all on; a benchmark turns one off to measure what it gives. */
  readonly optimisations?: SchedulerOptimisations;
  /** What counts; nothing unless given. */
  readonly metrics?: Metrics;
}

export interface SchedulerOptimisations {
  /** Several requests to an Agent share one message. */
  readonly bundles?: boolean;
  /** Replies come first to the Scheduler that claimed the step. */
  readonly ownReplyQueue?: boolean;
  /** A dispatched step is marked only if its reply takes long. */
  readonly lateMarks?: boolean;
}

/** The loops of a Scheduler, by which they wake one another. */
export type LoopName =
  | "claim"
  | "slots"
  | "mark"
  | "relay"
  | "remotes"
  | "notifications"
  | "alerts"
  | "stale notifications";

/** All that the loops and consumers of one Scheduler share. */
export interface SchedulerContext
  extends Pick<
    SchedulerOptions,
    "store" | "broker" | "log" | "failpoint" | "actor" | "userId" | "identity"
  > {
  readonly clock: Clock;
  readonly tracing: Tracing;
  readonly loops: LoopSet<LoopName>;
  /** Has the next claim begin now. */
  readonly wake: () => void;
  readonly apply: ApplyEvents;
  readonly dispatches: Dispatches;
  readonly batchSizes: BatchSizes;
  readonly replies: ReplyAddress;
  readonly limits: InFlightLimits;
  readonly measures: SchedulerMeasures;
  readonly claims: StepClaims;
  readonly relay: StepRelay;
  readonly remotes: RemoteGuard;
  /** One round of guarding remote services. */
  readonly guard: () => Promise<number>;
  /** Tells an Agent that its reply was refused. */
  readonly refuse: ReturnType<typeof cancelHints>;
}

/** Builds what the loops share; nothing runs before they start. */
export function schedulerContext(options: SchedulerOptions): SchedulerContext {
  const { store, broker, log, failpoint, actor, userId, signal, identity } = options;
  const { maxInFlight, maxMessageBytes, optimisations = {} } = options;
  const { clock = systemClock, tracing = noTracing } = options;
  const loops = loopSet<LoopName>({ signal, log, clock, metrics: options.metrics ?? noMetrics });
  const [wake, notify] = [() => loops.wake("claim"), () => wakeSenders(loops)];
  const shared = { store, broker, log, failpoint, clock, signal, actor, userId, identity, tracing };
  const refuse = cancelHints(broker);
  const apply = applyAndNotify({ store, notify, cancel: refuse });
  const dispatches = dispatchesOf(shared, { loops, optimisations });
  const batchSizes = openBatchSizes(optimisations);
  const replies = replyAddress(broker, optimisations);
  const unfit = unfitContracts(shared);
  const dispatch = dispatchSteps({
    ...shared,
    unfit,
    apply,
    dispatches,
    batchSizes,
    replyTo: replies.current,
    ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }),
  });
  const { relayAfter } = dispatches;
  const remotes = guardRemotes({ ...shared, wake: () => loops.wake("remotes") });
  const counted = { store, broker, maxInFlight, limitOf: remotes.limit, clock, log, signal };
  const limits = inFlightLimits({ ...counted, lockedBy: actor, onCapacity: wake });
  const measures = measure(options, limits);
  const claims = claimSteps({
    ...shared,
    limits,
    onClaim: remotes.used,
    dispatch,
    hint: wakeHint(broker),
    wake,
    lockedBy: actor,
    relayAfter,
    batchReserve: options.batchReserve ?? 0,
    measures,
  });
  const relayed = { ...shared, dispatches, dispatch, wake, notify, relayAfter, measures };
  const wakeByBreakers = () => remotes.lookAndClaim();
  const relay = relaySteps({ ...relayed, wakeByBreakers, maxDelay: options.pollInterval });
  const guarded = { claims, lanes: limits.lanes, choose: limits.choose, wakeClaims: wake, notify };
  const parts = {
    dispatches,
    batchSizes,
    replies,
    limits,
    measures,
    claims,
    relay,
    remotes,
    guard: () => remotes.round(guarded),
    refuse,
  };
  return { ...shared, loops, wake, apply, ...parts };
}

interface Dispatching {
  readonly loops: LoopSet<LoopName>;
  readonly optimisations: SchedulerOptimisations;
}

const dispatchesOf = (
  { store, log, clock }: Pick<SchedulerContext, "store" | "log" | "clock">,
  { loops, optimisations }: Dispatching,
): Dispatches =>
  openDispatches({
    ...optimisations,
    clock,
    onMarkDue: () => loops.wake("mark"),
    onConfirm: slowConfirms({ store, log }),
  });

function wakeSenders(loops: LoopSet<LoopName>): void {
  loops.wake("notifications");
  loops.wake("alerts");
}

function measure(
  { metrics = noMetrics }: Pick<SchedulerOptions, "metrics">,
  { isAgent, loads }: InFlightLimits,
): SchedulerMeasures {
  exposeLanes(metrics, loads);
  return schedulerMeasures(metrics, isAgent);
}

interface Applying {
  readonly store: Pick<SchedulerStore, "applyEvents">;
  /** Has new notifications sent. */
  readonly notify: () => void;
  readonly cancel: ReturnType<typeof cancelHints>;
}

/** Applies events. `onCommit` comes before anything that could fail. */
export type ApplyEvents = (
  ...args: [
    ...Parameters<SchedulerStore["applyEvents"]>,
    onCommit?: (applied: AppliedEvents) => void,
  ]
) => ReturnType<SchedulerStore["applyEvents"]>;

/** Applies events, and publishes what follows from them at once: notifications and cancel hints. */
const applyAndNotify =
  ({ store, notify, cancel }: Applying): ApplyEvents =>
  async (reportedEvents, how, onCommit) => {
    const applied = await store.applyEvents(reportedEvents, how);
    onCommit?.(applied);
    if (applied.hasNotifications) notify();
    cancel(applied.obsoleteAttempts);
    return applied;
  };
