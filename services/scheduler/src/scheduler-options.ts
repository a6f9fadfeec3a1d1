import type { Broker } from "@holdfast/messaging";
import type { Clock, Failpoint, Logger, Metrics, Tracing } from "@holdfast/runtime";
import type { SchedulerStore } from "@holdfast/state-store";
import type { StateWatcher } from "./observer.ts";
import type { NotificationBroker } from "./outbox/send-notifications.ts";

/**
 * What the loops and consumers of a Scheduler ask of the state store: all but what its process does
 * beside them.
 */
export type LoopStore = Omit<
  SchedulerStore,
  "findFleetFacts" | "findStoreId" | "ping" | "recordInstance" | "recordStalledConsumers"
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
    | "keepCanaryQueue"
    | "oldestMs"
  >;
  /**
   * Publishes status messages and events. It has a connection of its own: the broker stops reading
   * from a connection while it cannot get on with one message, and a submitter's queue may be in
   * any state.
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
  /**
   * How many steps of one Agent each Scheduler may have in flight, whatever the Agent advertises.
   */
  readonly maxInFlight: number;
  /**
   * Percent of the slots of a claim that are for the band `batch`, if a step of it is due; none
   * unless given.
   */
  readonly batchReserve?: number;
  /** The longest delay between two rounds of the resend, in milliseconds. */
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
  /** Is called with its state whenever that has changed; nothing unless given. */
  readonly watch?: StateWatcher | undefined;
}

export interface SchedulerOptimisations {
  /** Several requests to an Agent share one message. */
  readonly bundles?: boolean;
  /** Replies come first to the Scheduler that claimed the step. */
  readonly ownReplyQueue?: boolean;
  /** The confirm of a request is recorded only if its reply takes long. */
  readonly lateConfirms?: boolean;
}
