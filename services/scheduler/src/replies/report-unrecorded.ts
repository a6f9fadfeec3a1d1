import { randomUUID } from "node:crypto";
import { replyQueue, unrecordedExchange } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";

/** Milliseconds that recording a batch may take before the Supervisors hear of it. */
const tolerated = 200;
/** Milliseconds between two looks. A report stands for two seconds. */
const interval = 100;

/**
 * Tells the Supervisors while this Scheduler holds replies that it cannot record, for example
 * because it alone has lost the state store. The broker counts these replies as delivered, so they
 * look like silence of the Agents. Only a hint: should it be lost, the next one follows.
 */
export const reportUnrecorded =
  ({ broker }: { readonly broker: Pick<Broker, "publish" | "oldestMs"> }) =>
  async (): Promise<number> => {
    if (broker.oldestMs(replyQueue) > tolerated) {
      void broker.publish({
        exchange: unrecordedExchange,
        routingKey: "",
        type: "scheduler.unrecorded.v1",
        messageId: randomUUID(),
        transient: true,
        body: Buffer.alloc(0),
      });
    }
    return interval;
  };
