import { setTimeout as sleep } from "node:timers/promises";
import { storeQueue } from "@holdfast/contracts";
import { errorText, type Milliseconds, SetupFault } from "@holdfast/domain";
import type { Channel, ChannelModel } from "amqplib";
import { claimExclusive, ownerOf } from "../consume/exclusive-queue.ts";
import { type Queue, queueOfStore } from "../topology/topology.ts";
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
/** Far longer than another connection needs to take a virtual host over. */
const takenWithin: Milliseconds = 5_000;
const restBetweenTries: Milliseconds = 50;

/**
 * Marks the virtual host of a connection as that of a state store, or throws `config.invalid` if it
 * is another one's: the two would take each other's replies, tasks and dead letters. A broker that
 * lost its data belongs to the first that comes. Where the broker does not say whose it is, such as
 * to a user who may not ask, that is logged, and the connection is used.
 */
export async function claimVhost(model: ChannelModel, claim: Claim): Promise<void> {
  const mark = queueOfStore(claim.storeId);
  try {
    if (await isMarked(model, mark)) return;
    if (!claim.takesOver) throw foreignVhost(claim.vhost);
    await takeOver(model, mark, claim);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    const reason = errorText(error);
    // Anything else is a connection that is lost.
    if (typeof code !== "number" && reason !== noAnswer) throw error;
    claim.log.warn({ queue: mark.name, reason }, "owner of the virtual host unknown");
  }
}

/** Marks the virtual host; resolves to false where it has another store's mark. */
const isMarked = (model: ChannelModel, { name, arguments: args }: Queue): Promise<boolean> =>
  ask(model, (channel) => channel.assertQueue(name, { durable: true, arguments: args })).then(
    () => true,
    (error: { readonly code?: unknown }) => {
      if (error.code === differs) return false;
      throw error;
    },
  );

/**
 * Puts a mark in the place of another store's. Connections do so one at a time: a quorum queue that
 * one deletes while another declares it anew may be gone for good, as RabbitMQ then refuses to
 * declare it until it is restarted.
 */
async function takeOver(model: ChannelModel, mark: Queue, { vhost, log }: Claim): Promise<void> {
  const giveUpAt = performance.now() + takenWithin;
  while (performance.now() < giveUpAt) {
    const wasAlone = await alone(model, async () => {
      // Another connection of this store has been faster.
      if (await isMarked(model, mark)) return;
      await ask(model, (channel) => channel.deleteQueue(mark.name));
      // A store that takes nothing over has come between.
      if (!(await isMarked(model, mark))) throw foreignVhost(vhost);
      log.warn({ queue: mark.name, vhost }, "virtual host taken over");
    });
    if (wasAlone) return;
    await sleep(restBetweenTries);
  }
  throw new Error(
    `${ownerOf(storeQueue)} is not to be had: another connection holds it, or this user may not configure it (import the definitions of this release)`,
  );
}

/** Acts while no other connection does; resolves to false where another one does. */
async function alone(model: ChannelModel, act: () => Promise<void>): Promise<boolean> {
  const held = await claimExclusive([storeQueue], null, () => model.createChannel());
  if (held === null) return false;
  try {
    await act();
  } finally {
    await ask(model, (channel) => channel.deleteQueue(ownerOf(held)));
  }
  return true;
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
