import {
  eventExchange,
  SignalRefused,
  statusExchange,
  TaskAlert,
  TaskRefused,
  TaskStatus,
} from "@holdfast/contracts";
import { fromTraceText } from "@holdfast/domain";
import type { BindResult, Broker, OutgoingMessage, PublishResult } from "@holdfast/messaging";
import { type Clock, type Logger, noTracing, sendSpan, type Tracing } from "@holdfast/runtime";
import type { SchedulerStore, TakenNotification } from "@holdfast/state-store";
import { delayedDestinations } from "./delayed-destinations.ts";

interface NotificationDependencies {
  readonly store: Pick<SchedulerStore, "takeNotifications" | "deleteNotifications">;
  readonly broker: NotificationBroker;
  /** Alerts, or the statuses for submitters and the events for all subscribers. */
  readonly kind: "alert" | "status";
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  /** The tracing of notifications; none unless given. */
  readonly tracing?: Tracing;
}

export type NotificationBroker = Pick<Broker, "publish" | "bind" | "isReady">;
type Sender = Pick<Broker, "publish" | "bind">;

/** Milliseconds in which what was taken should be sent; from then on others may send it. */
const lease = 5_000;
/**
 * Milliseconds. The transaction that writes a notification wakes this loop, and so does the resend.
 */
const delay = 60_000;
/** Milliseconds after which a destination that refused is tried again, at the latest. */
const maxDelays = { alert: 5_000, status: 300_000 };
/** Milliseconds. Without the broker nothing is taken. */
const delayWithoutBroker = 500;
/** Subjects that are taken at a time. When there are more, other destinations come next. */
const fullBatch = 400;
/** Milliseconds that a status waits for a submitter who is away. */
const statusKeptFor = 24 * 60 * 60 * 1_000;

/**
 * One round: sends what waits in the outbox, those of one subject one after the other, and deletes
 * what the broker has. A notification without a queue is deleted as well: nothing may ever wait for
 * a reader. A destination that refuses a message is left alone for a while, so that all others have
 * their turn.
 */
export function sendNotifications(deps: NotificationDependencies) {
  const { store, broker, kind, clock, log, tracing = noTracing } = deps;
  const delayed = delayedDestinations(clock, maxDelays[kind]);
  const unroutable = warnSeldom({ log, clock });
  let after: string | null = null;

  /** Sends notifications in order: what comes after one that may not have arrived has to wait. */
  const sendLine = async (
    line: readonly TakenNotification[],
    sender: Sender,
  ): Promise<readonly Sent[]> => {
    const sent: Sent[] = [];
    for (const notification of line) {
      const message = messageOf(notification, log);
      if (message === null) {
        sent.push({ notification, result: "unroutable" });
        continue;
      }
      const result = await sendTraced({ sender, tracing }, message, notification);
      if (result === "unknown") {
        // A connection that is lost says nothing about the queue.
        if (broker.isReady) delayed.failed(notification.destination);
        break;
      }
      delayed.succeeded(notification.destination);
      sent.push({ notification, result });
    }
    return sent;
  };

  return async (): Promise<number> => {
    if (!broker.isReady) return delayWithoutBroker;
    const notifications = await store.takeNotifications({
      lease,
      kind,
      after,
      delayed: delayed.names(),
    });
    const lines = Map.groupBy(notifications, ({ subject, channel }) => `${channel} ${subject}`);
    const begun = after;
    after = lines.size < fullBatch ? null : lastOf([...lines.values()]);
    if (notifications.length === 0) return begun === null ? (delayed.nextIn() ?? delay) : 0;
    const { bind } = queueBindings(broker);
    const sender: Sender = { bind, publish: (message) => broker.publish(message) };
    const sending = [...lines.values()].map((line) => sendLine(line, sender));
    const sent = (await Promise.all(sending)).flat();
    for (const one of sent) if (one.result === "unroutable") unroutable(one.notification);
    const [ids, delivered] = [sent, sent.filter(({ result }) => result === "stored")].map((some) =>
      some.map(({ notification }) => notification.id),
    );
    if (sent.length > 0)
      await store.deleteNotifications({ ids: ids ?? [], delivered: delivered ?? [] });
    // Others may wait. What could not be sent is tried again when its destination has rested.
    return sent.length > 0 ? 0 : Math.min(lease, delayed.nextIn() ?? lease);
  };
}

/**
 * Binds submitters' queues for notifications that were taken together, each queue once: a refusal
 * costs a channel, and an error in the broker's log. All of them were there before the answer, so a
 * queue that is missing then is missing for all of them. Those that are taken later ask anew: their
 * submitter may have declared its queue meanwhile.
 */
function queueBindings(broker: Pick<Broker, "bind">): Pick<Broker, "bind"> {
  const asked = new Map<string, Promise<BindResult>>();
  return {
    bind(binding) {
      const result = asked.get(binding.queue) ?? broker.bind(binding);
      asked.set(binding.queue, result);
      return result;
    },
  };
}

/**
 * The message of a notification; null: the row was changed, and no message can be made of it. It is
 * dropped.
 */
function messageOf(
  notification: TakenNotification,
  log: Pick<Logger, "error">,
): OutgoingMessage | null {
  try {
    return toMessage(notification);
  } catch (err) {
    log.error({ err, ...fieldsOf(notification) }, "notification unreadable");
    return null;
  }
}

/** Milliseconds. */
const warnEvery = 60_000;

/**
 * Warns once a minute of a channel for which no queue is bound, and says how many of its
 * notifications were unroutable.
 */
function warnSeldom({ log, clock }: Pick<NotificationDependencies, "log" | "clock">) {
  const channels = new Map<TakenNotification["channel"], { warnedAt: number; times: number }>();
  return (notification: TakenNotification): void => {
    const { channel } = notification;
    const { warnedAt, times } = channels.get(channel) ?? { warnedAt: -warnEvery, times: 0 };
    const isDue = clock.now() - warnedAt >= warnEvery;
    if (isDue)
      log.warn({ ...fieldsOf(notification), notifications: times + 1 }, "notification unroutable");
    channels.set(
      channel,
      isDue ? { warnedAt: clock.now(), times: 0 } : { warnedAt, times: times + 1 },
    );
  };
}

interface Sent {
  readonly notification: TakenNotification;
  readonly result: "stored" | "unroutable";
}

/** The last destination of a batch, by name. */
const lastOf = (lines: readonly (readonly TakenNotification[])[]): string | null =>
  lines.reduce<string | null>((last, [first]) => {
    const { destination = "" } = first ?? {};
    return last === null || destination > last ? destination : last;
  }, null);

/** Publishes a notification within the trace of its task: its reader can go on there. */
async function sendTraced(
  { sender, tracing }: { readonly sender: Sender; readonly tracing: Tracing },
  message: OutgoingMessage,
  { traceContext = null, subject }: TakenNotification,
): Promise<PublishResult> {
  const parent = fromTraceText(traceContext);
  if (parent === null) return send(sender, message);
  const attributes = { "holdfast.task.id": subject };
  const span = sendSpan(tracing, message, { parent, attributes });
  const result = await send(sender, { ...message, trace: span.context });
  span.end(result === "stored" ? {} : { "error.type": result });
  return result;
}

/** A submitter's queue is bound when the first status for it finds no way there. */
async function send(sender: Sender, message: OutgoingMessage): Promise<PublishResult> {
  const result = await sender.publish(message);
  if (result !== "unroutable" || message.exchange !== statusExchange) return result;
  const { exchange, routingKey } = message;
  const bound = await sender.bind({ exchange, routingKey, queue: routingKey });
  if (bound === "bound") return sender.publish(message);
  // A broker that did not answer says nothing about the queue: the status waits.
  return bound === "refused" ? "unroutable" : "unknown";
}

const fieldsOf = ({ subject, channel, seq, address }: TakenNotification) => ({
  subject,
  channel,
  seq,
  ...(address === null ? {} : { address }),
});

function toMessage(notification: TakenNotification): OutgoingMessage {
  const { subject, seq, correlationId } = notification;
  const correlation = correlationId === null ? {} : { correlationId };
  switch (notification.channel) {
    case "status":
      return {
        exchange: statusExchange,
        routingKey: notification.address,
        messageId: `${subject}:${seq}`,
        ...correlation,
        expirationMs: statusKeptFor,
        ...statusOf(notification.body),
      };
    case "event": {
      const { workflow, at } = notification.body;
      const { type, id } = namesOf(notification.body);
      return {
        ...cloudEvent({
          type,
          id: [subject, seq, ...id].join(":"),
          subject,
          at,
          data: notification.body,
        }),
        routingKey: `${type}.${workflow}`,
        ...correlation,
      };
    }
    case "alert": {
      const { kind, at, step } = notification.body;
      const id = [subject, seq, kind, ...(step === null ? [] : [step])].join(":");
      return {
        ...cloudEvent({ type: TaskAlert.type, id, subject, at, data: notification.body }),
        routingKey: `alert.${kind}`,
        ...correlation,
      };
    }
  }
}

/**
 * The type of an event, and what its id has besides its subject and the version of that. Several
 * steps may be wanted, or decided, at one version; a reminder leaves the version as it was. A
 * schedule has an event for each instant, and two for one that was missed and fired by hand.
 */
function namesOf(body: (TakenNotification & { readonly channel: "event" })["body"]): {
  readonly type: string;
  readonly id: readonly string[];
} {
  if ("schedule" in body) return { type: body.event, id: [body.event, body.instant] };
  if (!("audience" in body)) return { type: `task.${body.event}`, id: [] };
  const { event, step, at } = body;
  return { type: event, id: [event, step, ...(event === "approval.reminded" ? [at] : [])] };
}

/** What a queue of submitters is sent, by the kind of its message. */
function statusOf(body: (TakenNotification & { readonly channel: "status" })["body"]) {
  if (body.event === "refused") return { type: TaskRefused.type, body: TaskRefused.encode(body) };
  return body.event === "signal-refused"
    ? { type: SignalRefused.type, body: SignalRefused.encode(body) }
    : { type: TaskStatus.type, body: TaskStatus.encode(body) };
}

interface Happening {
  readonly type: string;
  readonly id: string;
  readonly subject: string;
  readonly at: string;
  readonly data: object;
}

/**
 * CloudEvents 1.0, structured mode of its AMQP and HTTP bindings. `source` and `id` together name
 * one event, so that its reader recognises the second copy.
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

interface StaleDependencies {
  readonly store: Pick<SchedulerStore, "deleteStaleNotifications">;
  readonly log: Pick<Logger, "warn">;
}

/** Milliseconds between two looks for notifications that are too old. */
const staleDelay = 600_000;

/**
 * Deletes notifications that could not be sent for a day. Resolves to the delay until the next
 * round.
 */
export function dropStaleNotifications({ store, log }: StaleDependencies) {
  return async (): Promise<number> => {
    const notifications = await store.deleteStaleNotifications();
    if (notifications === 0) return staleDelay;
    log.warn({ notifications }, "stale notifications deleted");
    return 0;
  };
}
