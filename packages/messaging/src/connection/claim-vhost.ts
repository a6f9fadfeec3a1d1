import { storeQueue } from "@holdfast/contracts";
import { errorText, type Milliseconds, SetupFault } from "@holdfast/domain";
import type { Channel, ChannelModel } from "amqplib";
import { queueOfStore } from "../topology/topology.ts";
import { inTime } from "./in-time.ts";
import type { ChannelLog } from "./keep-channel.ts";

/** The state store whose services connect. */
export interface VhostOwner {
  readonly storeId: string;
  /** Whether it takes a virtual host from another store, which is gone. */
  readonly takesOver: boolean;
}

export interface Claim extends VhostOwner {
  readonly vhost: string;
  readonly log: ChannelLog;
}

/** What a queue without a leader costs a connection. */
const answerWithin: Milliseconds = 2_000;
const noAnswer = "the queue does not answer";
/** AMQP 0-9-1, constants: precondition-failed. */
const differs = 406;

/**
 * Marks the virtual host of a connection as that of a state store, or throws `config.invalid` if it
 * is another one's: the two would take each other's replies, tasks and dead letters. A broker that
 * lost its data belongs to the first that comes. Where the broker does not say whose it is, such as
 * to a user who may not ask, that is logged, and the connection is used.
 */
export async function claimVhost(model: ChannelModel, claim: Claim): Promise<void> {
  const { storeId, takesOver, vhost, log } = claim;
  const { name: queue, arguments: args } = queueOfStore(storeId);
  const declare = () =>
    ask(model, (channel) => channel.assertQueue(queue, { durable: true, arguments: args }));
  try {
    const isOthers = await declare().then(() => false, isDifferent);
    if (!isOthers) return;
    if (!takesOver) throw foreignVhost(vhost);
    await ask(model, (channel) => channel.deleteQueue(queue));
    await declare();
    log.warn({ queue, vhost }, "virtual host taken over");
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    // A third store has taken it meanwhile.
    if (code === differs) throw foreignVhost(vhost);
    const reason = errorText(error);
    // Anything else is a connection that is lost.
    if (typeof code !== "number" && reason !== noAnswer) throw error;
    log.warn({ queue, reason }, "owner of the virtual host unknown");
  }
}

/** Resolves a refusal to declare a queue with other arguments, and throws every other error. */
function isDifferent(error: unknown): true {
  if ((error as { readonly code?: unknown }).code === differs) return true;
  throw error;
}

/** Asks on a channel of its own, which a refusal closes. */
async function ask(
  model: ChannelModel,
  command: (channel: Channel) => Promise<unknown>,
): Promise<void> {
  const channel = (await model.createChannel()).on("error", () => {});
  await inTime(command(channel), answerWithin, noAnswer).finally(() => {
    // Not awaited: it waits for an answer that may not come.
    void channel.close().catch(() => {});
  });
}

const foreignVhost = (vhost: string): SetupFault =>
  new SetupFault(
    "config.invalid",
    `BROKER_URL: the virtual host ${vhost} belongs to the Holdfast of another state store, and the two would take each other's messages. Give this one a virtual host of its own. If the other store is gone, start once with BROKER_TAKE_OVER=on, or delete the queue ${storeQueue} (rabbitmqctl -p ${vhost} delete_queue ${storeQueue}): the virtual host is taken over with what waits in its queues`,
  );
