import type { Random } from "./random.ts";
import type { Timeline } from "./timeline.ts";

/** When virtual time begins, in milliseconds since 1970 on the state store's clock. */
export const epoch = Date.UTC(2026, 0, 1);

/** What can go wrong on the way to the store and the broker, and with a process. */
export type PortFault =
  | "crash"
  | "failpointCrash"
  | "stop"
  | "freeze"
  | "failpointFreeze"
  | "storePartition"
  | "brokerPartition"
  | "connectionLost"
  | "storeRefusal"
  | "storeUnconfirmed"
  | "publishLost"
  | "publishUnconfirmed"
  | "publishUnroutable"
  | "acknowledgementLost"
  | "messageLost"
  | "messageDoubled"
  | "messageLate"
  | "messageReordered"
  | "clockSkew";

/** What the simulated processes, store and broker of one run share. */
export interface World {
  readonly random: Random;
  readonly timeline: Timeline;
  /** Whether a fault of this kind happens now. */
  strikes(kind: PortFault): boolean;
  /** Calls `act` when all faults end. */
  onHeal(act: () => void): void;
  /** Milliseconds that something takes from one process to another. */
  latency(): number;
  /** Adds a line to the story; calls `what` only while a story is wanted. */
  tell(who: string, what: () => string): void;
}
