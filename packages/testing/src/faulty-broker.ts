import { StepReply, StepRequest } from "@holdfast/contracts";
import type { OutgoingMessage } from "@holdfast/messaging";
import { toMilliseconds } from "@holdfast/workflow";
import type { TakeFault } from "./remaining-faults.ts";
import type { MemoryBroker } from "./simulator/broker/memory-broker.ts";
import type { World } from "./simulator/world.ts";

/** A broker that loses, delays and doubles messages on the way to it. */
export function faultyBroker(world: World, broker: MemoryBroker, take: TakeFault): MemoryBroker {
  const storeRequest = (message: OutgoingMessage): boolean => {
    const { step } = StepRequest.decode(message.body);
    const isOfStep = (fault: { readonly step: string }) => fault.step === step;
    const tell = (what: string) => world.tell("test", () => `${what} the request for ${step}`);
    if (take("loseRequest", isOfStep) !== null) {
      tell("drops");
      return true;
    }
    const delay = take("delayRequest", isOfStep);
    if (delay !== null) {
      tell("delays");
      world.timeline.after(toMilliseconds(delay.by, "by"), () => void broker.store(message));
      return true;
    }
    if (take("duplicateRequest", isOfStep) !== null) {
      tell("doubles");
      broker.store(message);
    }
    return broker.store(message);
  };

  const storeReply = (message: OutgoingMessage): boolean => {
    const { step } = StepReply.decode(message.body);
    if (take("loseReply", (fault) => fault.step === step) === null) return broker.store(message);
    world.tell("test", () => `drops the reply to ${step}`);
    return true;
  };

  return {
    ...broker,
    store(message) {
      if (message.type === StepRequest.type) return storeRequest(message);
      return message.type === StepReply.type ? storeReply(message) : broker.store(message);
    },
  };
}
