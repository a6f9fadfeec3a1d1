import type { Channel } from "amqplib";
import { inTime } from "./in-time.ts";

/** How long the broker may take to answer, in milliseconds. */
const answerWithin = 2_000;

/** `refused`: the broker says no, and will again. `unknown`: it did not answer, or the connection was lost. */
export type Asked<Answer> =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "refused" }
  | { readonly kind: "unknown" };

/** AMQP 0-9-1, constants: access-refused, not-found, resource-locked. */
const refusals: ReadonlySet<unknown> = new Set([403, 404, 405]);

/**
 * Calls the broker one call at a time, on a channel of its own: a call that the broker refuses closes its
 * channel, and with it every consumer or publisher there.
 */
export function isolatedChannel(createChannel: () => Promise<Channel>) {
  let channel: Promise<Channel> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const discard = (opening: Promise<Channel> | null): void => {
    channel = null;
    void opening?.then((opened) => opened.close()).catch(() => {});
  };

  const open = (): Promise<Channel> => {
    const opening = (async () => {
      const opened = (await createChannel()).on("error", () => {});
      // With its connection: the next call gets a channel of the next one.
      return opened.on("close", () => {
        if (channel === opening) channel = null;
      });
    })();
    return opening;
  };

  const call = async <Answer>(
    ask: (opened: Channel) => Promise<Answer>,
  ): Promise<Asked<Answer>> => {
    try {
      channel ??= open();
      const answer = await inTime(channel.then(ask), answerWithin, "No answer in time");
      return { kind: "answered", answer };
    } catch (error) {
      discard(channel);
      const { code } = error as { readonly code?: unknown };
      return { kind: refusals.has(code) ? "refused" : "unknown" };
    }
  };

  return <Answer>(ask: (opened: Channel) => Promise<Answer>): Promise<Asked<Answer>> => {
    const answer = last.then(() => call(ask));
    last = answer;
    return answer;
  };
}
