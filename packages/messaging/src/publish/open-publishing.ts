import type { ConfirmChannel } from "amqplib";
import type { Broker } from "../broker.ts";
import { type ChannelLog, keepChannel } from "../connection/keep-channel.ts";
import type { Connection } from "../connection/open-connection.ts";
import { bundleMessages } from "./bundle-messages.ts";
import { publisher } from "./publisher.ts";

interface Options {
  /** Nothing but publishing goes through it. */
  readonly connection: Connection;
  readonly name: string;
  /** Prepares each new channel. */
  readonly declare: (channel: ConfirmChannel) => Promise<void>;
  readonly bundles: boolean;
  /** Ends it: the connection is being closed. */
  readonly signal: AbortSignal;
  /** Ends the wait for the first channel. */
  readonly starting?: AbortSignal | undefined;
  readonly log: ChannelLog;
  /** Wraps the publishing of each message of the broker. */
  readonly measure: (publish: Broker["publish"]) => Broker["publish"];
}

interface Publishing extends Pick<Broker, "publish">, AsyncDisposable {
  /** Whether a message that is published now goes out at once. */
  readonly isReady: boolean;
}

/** Publishes on a channel that is kept open and replaced. Disposing waits for confirms. */
export async function openPublishing(options: Options): Promise<Publishing> {
  const { connection, name, declare, bundles, signal, starting, log } = options;
  const messages = publisher(
    () => (connection.isBlocked ? null : channel.current),
    () => channel.replace(),
  );
  const channel = await keepChannel({
    name: `${name} publish`,
    create: () => connection.createConfirmChannel(),
    open: async (opened) => {
      messages.watch(opened);
      await declare(opened);
    },
    closing: (last) => messages.drained(last),
    signal,
    starting,
    log,
  });
  const publish = options.measure((message) => messages.publish(message));
  return {
    publish: bundles ? bundleMessages(publish) : publish,
    get isReady() {
      return connection.isUp && !connection.isBlocked && channel.current !== null;
    },
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}
