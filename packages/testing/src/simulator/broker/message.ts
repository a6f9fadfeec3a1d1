import type { Broker, Delivery, OutgoingMessage } from "@holdfast/messaging";
import type { Host } from "../host.ts";

/** A message in a queue, or unacknowledged with a consumer. */
export interface Message extends OutgoingMessage {
  /** When the broker drops it to the dead letters; null: never. */
  readonly expiresAt: number | null;
  readonly deathReason: string | undefined;
  readonly queue: string;
  /** How often it came back because its consumer failed. */
  returns: number;
  isRedelivered: boolean;
}

/** Who takes from a queue. Closed for good when its connection breaks. */
export interface Consumer {
  readonly queue: string;
  readonly host: Host;
  /** The prefetch; 0: it takes nothing for now, and settles what it has. */
  prefetch: number;
  /** The highest gets what it can take, the others the rest. */
  readonly priority: number;
  readonly take: (delivery: Delivery) => void;
  /** Publishes on its connection. */
  readonly answer: Broker["publish"];
  /** Whether what its process says on the connection is lost, from now on if a fault says so. */
  readonly losesWords: () => boolean;
  readonly inHand: Set<Message>;
  isOpen: boolean;
}

/** Sees what goes through the broker. */
export interface BrokerWatcher {
  stored(message: Message): void;
  /** It waits in its queue, and what is stored later comes after it; or no longer. */
  waiting(message: Message, isWaiting: boolean): void;
  taken(message: Message, host: Host): void;
  acknowledged(message: Message, host: Host): void;
}
