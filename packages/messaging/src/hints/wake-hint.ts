import { randomUUID } from "node:crypto";
import { wakeExchange } from "@holdfast/contracts";
import type { Broker } from "../broker.ts";

/** Tells one Scheduler that something is due. Only a hint: should it be lost, they look anyway. */
export const wakeHint = (broker: Pick<Broker, "publish">) => (): void => {
  void broker.publish({
    exchange: wakeExchange,
    routingKey: "",
    type: "scheduler.wake.v1",
    messageId: randomUUID(),
    transient: true,
    body: Buffer.alloc(0),
  });
};
