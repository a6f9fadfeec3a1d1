import { Fault } from "@holdfast/domain";
import { type CountedQueue, countQueues } from "@holdfast/messaging";

/** The queues of the broker; null: they are not known, and `queuesNote` says why. */
export interface FoundQueues {
  readonly queues: readonly CountedQueue[] | null;
  readonly queuesNote: string | null;
}

interface QueueSources {
  /** RabbitMQ's HTTP API, with user and password; null: unknown. */
  readonly managementUrl: string | null;
  readonly brokerUrl: string;
}

/**
 * Asks RabbitMQ's HTTP API, which alone counts queues without taking part. An answer that fails is
 * a sentence.
 */
export async function findQueues({ managementUrl, brokerUrl }: QueueSources): Promise<FoundQueues> {
  if (managementUrl === null) {
    return notKnown(
      "Queues are not known: set BROKER_MANAGEMENT_URL to RabbitMQ's HTTP API, with a user who has the tag monitoring.",
    );
  }
  try {
    return { queues: await countQueues({ url: managementUrl, brokerUrl }), queuesNote: null };
  } catch (error) {
    // What else is thrown may quote the URL, which has a password.
    const words = error instanceof Fault ? error.message : "RabbitMQ's answer cannot be read.";
    return notKnown(`Queues are not known: ${words}`);
  }
}

const notKnown = (queuesNote: string): FoundQueues => ({ queues: null, queuesNote });
