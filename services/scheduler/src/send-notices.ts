import {
  eventExchange,
  statusExchange,
  TaskAlert,
  TaskRefused,
  TaskStatus,
} from "@holdfast/contracts";
import type { Broker, OutgoingMessage, PublishResult } from "@holdfast/messaging";
import type { Clock, Logger } from "@holdfast/runtime";
import type { StateStore, TakenNotice } from "@holdfast/state-store";
import { restingDestinations } from "./resting-destinations.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "takeNotices" | "deleteNotices">;
  readonly broker: Courier;
  /** Alerts, or what is told to submitters and to everybody. */
  readonly kind: "alert" | "news";
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
}

export type Courier = Pick<Broker, "publish" | "bind" | "isReady">;

/** Milliseconds in which what was taken should be sent; from then on others may send it. */
const lease = 5_000;
/** Milliseconds. Whoever writes a notice wakes us, and so does the relay: this is the net below. */
const rest = 60_000;
/** Milliseconds after which a destination that refused is tried again, at the latest. */
const longestRests = { alert: 5_000, news: 300_000 };
/** Milliseconds. Without the broker nothing is taken. */
const restWithoutBroker = 500;
/** So many subjects are taken at a time. When there are more, other destinations come next. */
const fullBatch = 400;
/** Milliseconds that a status waits for a submitter who is away. */
const statusKeptFor = 24 * 60 * 60 * 1_000;

/**
 * One round: sends what waits in the outbox, those of one subject one after the other, and deletes
 * what the broker has. What nobody listens to is deleted as well: nothing may ever wait for a reader.
 * A destination that refuses a message is left alone for a while, so that all others have their turn.
 */
export function sendNotices({ store, broker, kind, clock, log }: Dependencies) {
  const resting = restingDestinations(clock, longestRests[kind]);
  const unroutable = warnSeldom({ log, clock });
  let after: string | null = null;

  /** In order: what comes after a notice that may not have arrived has to wait. */
  const sendLine = async (line: readonly TakenNotice[]): Promise<readonly Sent[]> => {
    const sent: Sent[] = [];
    for (const notice of line) {
      const message = messageOf(notice);
      if (message === null) {
        sent.push({ notice, result: "unroutable" });
        continue;
      }
      const result = await send(broker, message);
      if (result === "unknown") {
        // A connection that is lost says nothing about the queue.
        if (broker.isReady) resting.failed(notice.destination);
        break;
      }
      resting.succeeded(notice.destination);
      sent.push({ notice, result });
    }
    return sent;
  };

  /** Null: somebody changed the row, so that no message can be made of it. It is dropped. */
  const messageOf = (notice: TakenNotice): OutgoingMessage | null => {
    try {
      return toMessage(notice);
    } catch (err) {
      log.error({ err, ...fieldsOf(notice) }, "notification unreadable");
      return null;
    }
  };

  return async (): Promise<number> => {
    if (!broker.isReady) return restWithoutBroker;
    const notices = await store.takeNotices({ lease, kind, after, resting: resting.names() });
    const lines = Map.groupBy(notices, ({ subject, channel }) => `${channel} ${subject}`);
    const begun = after;
    after = lines.size < fullBatch ? null : lastOf([...lines.values()]);
    if (notices.length === 0) return begun === null ? (resting.nextIn() ?? rest) : 0;
    const sent = (await Promise.all([...lines.values()].map(sendLine))).flat();
    for (const { notice, result } of sent) if (result === "unroutable") unroutable(notice);
    const [ids, heard] = [sent, sent.filter(({ result }) => result === "stored")].map((some) =>
      some.map(({ notice }) => notice.id),
    );
    if (sent.length > 0) await store.deleteNotices({ ids: ids ?? [], heard: heard ?? [] });
    // Others may wait. What could not be sent is tried again when its destination has rested.
    return sent.length > 0 ? 0 : Math.min(lease, resting.nextIn() ?? lease);
  };
}

/** Milliseconds. */
const warnEvery = 60_000;

/** Where no queue is bound for a channel, each of its notices is unroutable: one warning a minute says so, and how many. */
function warnSeldom({ log, clock }: Pick<Dependencies, "log" | "clock">) {
  const channels = new Map<TakenNotice["channel"], { warnedAt: number; times: number }>();
  return (notice: TakenNotice): void => {
    const { channel } = notice;
    const { warnedAt, times } = channels.get(channel) ?? { warnedAt: -warnEvery, times: 0 };
    const isDue = clock.now() - warnedAt >= warnEvery;
    if (isDue) log.warn({ ...fieldsOf(notice), notices: times + 1 }, "notification unroutable");
    channels.set(
      channel,
      isDue ? { warnedAt: clock.now(), times: 0 } : { warnedAt, times: times + 1 },
    );
  };
}

interface Sent {
  readonly notice: TakenNotice;
  readonly result: "stored" | "unroutable";
}

/** The last destination of a batch, by name. */
const lastOf = (lines: readonly (readonly TakenNotice[])[]): string | null =>
  lines.reduce<string | null>((last, [first]) => {
    const { destination = "" } = first ?? {};
    return last === null || destination > last ? destination : last;
  }, null);

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
        messageId: `${subject}:${seq}`,
        ...correlation,
        expirationMs: statusKeptFor,
        ...(notice.body.event === "refused"
          ? { type: TaskRefused.type, body: TaskRefused.encode(notice.body) }
          : { type: TaskStatus.type, body: TaskStatus.encode(notice.body) }),
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
