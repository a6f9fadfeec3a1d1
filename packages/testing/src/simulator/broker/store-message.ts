import { wakeQueue } from "@holdfast/contracts";
import type { OutgoingMessage } from "@holdfast/messaging";
import type { Message } from "./message.ts";
import { nameOfMessage } from "./name-of-message.ts";
import { type BrokerState, counts, enqueue, put } from "./queues.ts";
import { queueFor } from "./routes.ts";

/** Takes a message from a publisher, with all that may happen to it. */
export function storeMessage(state: BrokerState, outgoing: OutgoingMessage): boolean {
  const { world } = state;
  const { timeline, random } = world;
  const name = queueFor(outgoing);
  if (name === undefined || !state.queues.has(name)) return false;
  const { expirationMs } = outgoing;
  const expiresAt = expirationMs === undefined ? null : timeline.now + expirationMs;
  const message: Message = {
    ...outgoing,
    queue: name,
    expiresAt,
    deathReason: undefined,
    returns: 0,
    isRedelivered: false,
  };
  state.watcher.stored(message);
  if (name !== wakeQueue && world.strikes("messageLost")) {
    world.tell("broker", () => `${nameOfMessage(message)} is lost`);
    return true;
  }
  const putLater = (one: Message, ms: number): void => {
    state.outstanding += counts(one);
    world.tell("broker", () => `${nameOfMessage(one)} is ${ms} ms late`);
    timeline.after(ms, () => enqueue(state, one));
  };
  if (world.strikes("messageLate")) putLater(message, random.below(1_500));
  else put(state, message);
  if (name !== wakeQueue && world.strikes("messageDoubled")) {
    world.tell("broker", () => `${nameOfMessage(message)} is doubled`);
    message.isRedelivered = true;
    if (random.chance(0.5)) put(state, { ...message });
    else putLater({ ...message }, random.below(3_000));
  }
  return true;
}
