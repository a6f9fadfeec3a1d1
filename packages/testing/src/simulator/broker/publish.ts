import { requestExchange, statusExchange, wakeExchange } from "@holdfast/contracts";
import type { OutgoingMessage, PublishResult } from "@holdfast/messaging";
import type { Host } from "../host.ts";
import type { World } from "../world.ts";
import type { BrokerConnection } from "./broker-connection.ts";
import type { MemoryBroker } from "./memory-broker.ts";
import { nameOfMessage } from "./name-of-message.ts";

/** How long the publisher waits for a confirm, in milliseconds. */
const confirmWithin = 3_000;

/** Sees what processes publish. */
export interface PublishWatcher {
  /** A process hands this to the broker. */
  publishing(message: OutgoingMessage, host: Host): void;
  /** A process hears that the broker has this. */
  confirmed(message: OutgoingMessage): void;
}

interface PublishingOptions {
  readonly broker: MemoryBroker;
  readonly judge: PublishWatcher;
  readonly connection: BrokerConnection;
}

/** Publishes as one process does: messages and their confirms may be lost on the way. */
export function publishing(
  world: World,
  host: Host,
  { broker, judge, connection }: PublishingOptions,
) {
  const { random, timeline } = world;
  return (message: OutgoingMessage): Promise<PublishResult> => {
    const { promise, resolve } = Promise.withResolvers<PublishResult>();
    const answer = (result: PublishResult, ms: number): void => {
      timeline.after(ms, () =>
        host.actAtRisk(() => {
          if (result === "stored") judge.confirmed(message);
          resolve(result);
        }),
      );
    };
    host.actAtRisk(() => {
      judge.publishing(message, host);
      connection.mayDisconnect();
      if (!connection.isReady || broker.isInNeed()) return answer("unknown", 0);
      if (world.strikes("publishLost")) {
        world.tell(host.name, () => `publishes ${nameOfMessage(message)} in vain`);
        return answer("unknown", random.chance(0.5) ? confirmWithin : world.latency());
      }
      if (mayBeUnroutable(message) && world.strikes("publishUnroutable")) {
        return answer("unroutable", world.latency());
      }
      const isRouted = broker.store(message);
      // No publisher waits for the confirm of a hint.
      if (message.transient === true) return resolve("stored");
      if (world.strikes("publishUnconfirmed")) {
        world.tell(host.name, () => `hears no confirm of ${nameOfMessage(message)}`);
        return answer("unknown", random.chance(0.5) ? confirmWithin : world.latency());
      }
      answer(isRouted ? "stored" : "unroutable", world.latency());
    });
    return promise;
  };
}

const mayBeUnroutable = ({ exchange }: OutgoingMessage): boolean =>
  exchange === requestExchange || exchange === wakeExchange || exchange === statusExchange;
