import { setTimeout as sleep } from "node:timers/promises";
import {
  agentQueue,
  replyExchange,
  replyRoute,
  StepReply,
  signalQueue,
  submissionQueue,
} from "@holdfast/contracts";
import { askBroker } from "@holdfast/local-stack";
import { bodiesOf } from "@holdfast/messaging";
import { between, pick } from "./chance.ts";
import type { FaultClass, Field } from "./fault-class.ts";

const agents = ["inventory", "payments", "shipping", "notifications"] as const;
/** Milliseconds that the evil publisher listens. */
const listenFor = 1_000;
/** Milliseconds for which it listens at most where nothing is said. */
const listenAtMost = 20_000;
/** How many of the replies that it overhears it abuses. */
const most = 30;

/** What an intruder at the broker might send. */
export const messageFaults: readonly FaultClass[] = [
  { name: "poison-messages", server: "broker", weight: 2, strike: poison },
  { name: "evil-replies", server: "broker", weight: 3, strike: deceive },
];

/** Garbage in every queue that has a consumer. */
async function poison({ environment, random, poisoned }: Field) {
  const routes = [
    { exchange: replyExchange, routingKey: replyRoute(pick(agents, random), "garbage") },
    { exchange: "", routingKey: agentQueue(pick(agents, random)) },
    { exchange: "", routingKey: submissionQueue },
    { exchange: "", routingKey: signalQueue },
  ];
  const bodies = ["", "{", "[]", '{"taskId":1}', "\u0000", "x".repeat(100_000)];
  await askBroker(environment.broker.url, async (channel) => {
    for (const { exchange, routingKey } of routes) {
      const messageId = `poison-${between(0, 2 ** 48, random)}`;
      poisoned(messageId);
      const body = Buffer.from(pick(bodies, random));
      channel.publish(exchange, routingKey, body, { messageId, persistent: true });
    }
    await channel.waitForConfirms();
  });
  return { target: routes.map(({ routingKey }) => routingKey).join() };
}

/**
 * Overhears replies and says them again: at once, later, in the name of another Agent, and with
 * what was never returned. The broker vouches for the user, so only the fence stands in the way.
 */
async function deceive({ environment, random }: Field) {
  const userId = decodeURIComponent(new URL(environment.broker.url).username);
  const said = await askBroker(environment.broker.url, async (channel) => {
    const { queue } = await channel.assertQueue("", { exclusive: true, autoDelete: true });
    await channel.bindQueue(queue, replyExchange, "#");
    const headers = { "x-evil": true };
    const heard: { readonly routingKey: string; readonly body: Buffer }[] = [];
    const say = (routingKey: string, body: Buffer) =>
      channel.publish(replyExchange, routingKey, body, { userId, persistent: true, headers });
    await channel.consume(
      queue,
      (message) => {
        if (message === null || heard.length >= most) return;
        const { fields, properties, content } = message;
        // Its own words come back, too.
        if (properties.headers?.["x-evil"] === true) return;
        const { routingKey } = fields;
        for (const body of bodiesOf(content, properties.contentType)) {
          heard.push({ routingKey, body });
          say(foreignRoute(routingKey, random), forged(body));
          say(routingKey, body);
        }
      },
      { noAck: true },
    );
    const giveUpAt = performance.now() + listenAtMost;
    do await sleep(listenFor);
    while (heard.length === 0 && performance.now() < giveUpAt);
    for (const { routingKey, body } of heard) say(routingKey, body);
    await channel.waitForConfirms();
    return heard.length;
  });
  if (said === 0) throw new Error("no reply was overheard");
  return { target: `${said} replies` };
}

function foreignRoute(routingKey: string, random: () => number): string {
  const [, own, taskId = ""] = routingKey.split(".");
  return replyRoute(
    pick(
      agents.filter((agent) => agent !== own),
      random,
    ),
    taskId,
  );
}

/** Forges a reply as if the step had returned something else. */
function forged(body: Buffer): Buffer {
  const reply = StepReply.decode(body);
  const output = { forged: true, score: "forged" };
  return StepReply.encode({ ...reply, outcome: { kind: "completed", output } });
}
