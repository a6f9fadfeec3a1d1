import { eventExchange, statusExchange, TaskAlert, TaskStatus } from "@holdfast/contracts";
import type { Broker, OutgoingMessage, PublishResult } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import type { StateStore, TakenNotice } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<StateStore, "takeNotices" | "deleteNotices">;
  readonly broker: Courier;
  readonly log: Logger;
}

type Courier = Pick<Broker, "publish" | "bind">;

/** Milliseconds in which what was taken should be sent; from then on others may send it. */
const lease = 5_000;
/** Milliseconds. Whoever writes a notice wakes us, and so does the relay: this is the net below. */
const rest = 60_000;
/** Milliseconds that a status waits for a submitter who is away. */
const statusKeptFor = 24 * 60 * 60 * 1_000;

/**
 * One round: sends what waits in the outbox, those of one subject one after the other, and deletes
 * what the broker has. What nobody listens to is deleted as well: nothing may ever wait for a reader.
 */
export const sendNotices =
  ({ store, broker, log }: Dependencies) =>
  async (): Promise<number> => {
    const notices = await store.takeNotices({ lease });
    if (notices.length === 0) return rest;
    const lines = Map.groupBy(notices, ({ subject, channel }) => `${channel} ${subject}`);
    const sent = (
      await Promise.all([...lines.values()].map((line) => sendLine(broker, line)))
    ).flat();
    for (const { notice, result } of sent) {
      if (result === "unroutable") log.warn(fieldsOf(notice), "nobody listens");
    }
    const [ids, heard] = [sent, sent.filter(({ result }) => result === "stored")].map((some) =>
      some.map(({ notice }) => notice.id),
    );
    if (sent.length > 0) await store.deleteNotices({ ids: ids ?? [], heard: heard ?? [] });
    // What could not be sent is tried again when its lease is over.
    return sent.length === notices.length ? 0 : lease;
  };

interface Sent {
  readonly notice: TakenNotice;
  readonly result: "stored" | "unroutable";
}

/** In order: what comes after a notice that may not have arrived has to wait. */
async function sendLine(broker: Courier, line: readonly TakenNotice[]): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  for (const notice of line) {
    const result = await send(broker, toMessage(notice));
    if (result === "unknown") break;
    sent.push({ notice, result });
  }
  return sent;
}

/** A submitter's queue is bound when the first status for it finds no way there. */
async function send(broker: Courier, message: OutgoingMessage): Promise<PublishResult> {
  const result = await broker.publish(message);
  if (result !== "unroutable" || message.exchange !== statusExchange) return result;
  const { exchange, routingKey } = message;
  const isBound = await broker.bind({ exchange, routingKey, queue: routingKey });
  return isBound ? broker.publish(message) : result;
}

const fieldsOf = ({ subject, channel, seq, address }: TakenNotice) => ({
  subject,
  channel,
  seq,
  ...(address === null ? {} : { address }),
});

function toMessage(notice: TakenNotice): OutgoingMessage {
  const { subject, seq, correlationId } = notice;
  const correlation = correlationId === null ? {} : { correlationId };
  switch (notice.channel) {
    case "status":
      return {
        exchange: statusExchange,
        routingKey: notice.address,
        type: TaskStatus.type,
        messageId: `${subject}:${seq}`,
        ...correlation,
        expirationMs: statusKeptFor,
        body: TaskStatus.encode(notice.body),
      };
    case "event": {
      const { event, workflow, at } = notice.body;
      return {
        ...cloudEvent({
          type: `task.${event}`,
          id: `${subject}:${seq}`,
          subject,
          at,
          data: notice.body,
        }),
        routingKey: `task.${event}.${workflow}`,
        ...correlation,
      };
    }
    case "alert": {
      const { kind, at, step } = notice.body;
      const id = [subject, seq, kind, ...(step === null ? [] : [step])].join(":");
      return {
        ...cloudEvent({ type: TaskAlert.type, id, subject, at, data: notice.body }),
        routingKey: `alert.${kind}`,
        ...correlation,
      };
    }
  }
}

interface Happening {
  readonly type: string;
  readonly id: string;
  readonly subject: string;
  readonly at: string;
  readonly data: object;
}

/**
 * CloudEvents 1.0, structured mode of its AMQP and HTTP bindings. `source` and `id` together name one
 * event: whoever gets it twice can tell.
 */
function cloudEvent({ type, id, subject, at: time, data }: Happening) {
  const event = {
    specversion: "1.0",
    source: "/holdfast",
    type: `holdfast.${type}`,
    id,
    subject,
    time,
    datacontenttype: "application/json",
    data,
  };
  return {
    exchange: eventExchange,
    type: event.type,
    messageId: id,
    contentType: "application/cloudevents+json",
    body: Buffer.from(JSON.stringify(event)),
  };
}
