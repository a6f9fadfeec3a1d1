import type { Channel } from "amqplib";
import type { Broker } from "../broker.ts";
import { inTime } from "../connection/in-time.ts";
import { declareTopology, topologyOfAgent } from "./topology.ts";

/** How long the broker may take to answer, in milliseconds. */
const answerWithin = 2_000;

/**
 * `refused`: the broker says no, and will again. `unknown`: it did not answer, or the connection
 * was lost.
 */
type Asked<Answer> =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "refused" }
  | { readonly kind: "unknown" };

/** AMQP 0-9-1, constants: access-refused, not-found, resource-locked. */
const refusals: ReadonlySet<unknown> = new Set([403, 404, 405]);

/**
 * Calls the broker one call at a time, on a channel of its own: a call that the broker refuses
 * closes its channel, and with it every consumer or publisher there.
 */
function isolatedChannel(createChannel: () => Promise<Channel>) {
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

/**
 * Inspects, binds and declares single queues, on a channel that a refusal may close. `onAgent`:
 * takes an Agent whose queue is to be declared on later connections, too; null: the topology is the
 * operators'.
 */
export function queueOperations(
  createChannel: () => Promise<Channel>,
  onAgent: ((agent: string) => void) | null,
): Pick<Broker, "inspect" | "bind" | "declareAgent"> {
  const ask = isolatedChannel(createChannel);
  return {
    async inspect(queue) {
      const asked = await ask((channel) => channel.checkQueue(queue));
      if (asked.kind !== "answered") return null;
      const { messageCount: messages, consumerCount: consumers } = asked.answer;
      return { messages, consumers };
    },
    async bind({ exchange, queue, routingKey }) {
      const { kind } = await ask((channel) => channel.bindQueue(queue, exchange, routingKey));
      return kind === "answered" ? "bound" : kind;
    },
    async declareAgent(agent) {
      if (onAgent === null) return false;
      onAgent(agent);
      const { kind } = await ask((channel) => declareTopology(channel, topologyOfAgent(agent)));
      return kind === "answered";
    },
  };
}
