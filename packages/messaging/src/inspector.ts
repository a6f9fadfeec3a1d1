import type { Channel } from "amqplib";
import type { Broker } from "./broker.ts";
import { inTime } from "./in-time.ts";

/** How long the broker may take to answer, in milliseconds. */
const answerWithin = 2_000;

/**
 * Asks for queues, one at a time, on a channel of its own: asking for a queue that is not there
 * closes the channel, which must cost nobody else theirs.
 */
export function inspector(createChannel: () => Promise<Channel>): Broker["inspect"] {
  let channel: Promise<Channel> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const discard = (opening: Promise<Channel> | null): void => {
    channel = null;
    void opening?.then((opened) => opened.close()).catch(() => {});
  };

  const open = async (): Promise<Channel> => (await createChannel()).on("error", () => {});

  const inspect: Broker["inspect"] = async (queue) => {
    try {
      channel ??= open();
      const asked = channel.then((opened) => opened.checkQueue(queue));
      const found = await inTime(asked, answerWithin, "No answer in time");
      return { messages: found.messageCount, consumers: found.consumerCount };
    } catch {
      discard(channel);
      return null;
    }
  };

  return (queue) => {
    const answer = last.then(() => inspect(queue));
    last = answer;
    return answer;
  };
}
