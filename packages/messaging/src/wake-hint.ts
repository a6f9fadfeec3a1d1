import { randomUUID } from "node:crypto";
import { wakeQueue } from "@holdfast/contracts";
import type { Broker } from "./broker.ts";

/** Tells one Scheduler that something is due. Only a hint: should it be lost, they look anyway. */
export const wakeHint = (broker: Pick<Broker, "publish">) => (): void => {
  void broker.publish({
    exchange: "",
    routingKey: wakeQueue,
    type: "scheduler.wake.v1",
    messageId: randomUUID(),
    fleeting: true,
    body: Buffer.alloc(0),
  });
};
