import type { Channel } from "amqplib";
import { inTime } from "./in-time.ts";

/** How long the broker may take to answer, in milliseconds. */
const answerWithin = 2_000;

/**
 * Calls the broker one call at a time, on a channel of its own: a call that the broker refuses closes its
 * channel, and with it every consumer or publisher there. Null: refused, or no answer.
 */
export function isolatedChannel(createChannel: () => Promise<Channel>) {
  let channel: Promise<Channel> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const discard = (opening: Promise<Channel> | null): void => {
    channel = null;
    void opening?.then((opened) => opened.close()).catch(() => {});
  };

  const open = async (): Promise<Channel> => (await createChannel()).on("error", () => {});

  const call = async <Answer>(
    ask: (opened: Channel) => Promise<Answer>,
  ): Promise<Answer | null> => {
    try {
      channel ??= open();
      return await inTime(channel.then(ask), answerWithin, "No answer in time");
    } catch {
      discard(channel);
      return null;
    }
  };

  return <Answer>(ask: (opened: Channel) => Promise<Answer>): Promise<Answer | null> => {
    const answer = last.then(() => call(ask));
    last = answer;
    return answer;
  };
}
