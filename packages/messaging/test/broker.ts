import { randomUUID } from "node:crypto";
import { agentQueue } from "@holdfast/contracts";
import { type ServerAccess, serverAccess } from "@holdfast/runtime";
import { type Link, openLink, type TestBroker, testBroker } from "@holdfast/test-servers";
import { type Channel, connect } from "amqplib";
import type { Broker, Delivery, OutgoingMessage, PublishResult } from "../src/broker.ts";
import { connectBroker } from "../src/connect-broker.ts";
import { quiet, until } from "./fixtures.ts";

const agents = ["payments"];
/** The queue of messages of which nothing else is said. */
export const queue = agentQueue("payments");

/** A broker of a test's own, and a connection to it that can be cut. */
export interface TestedBroker extends AsyncDisposable {
  readonly server: TestBroker;
  readonly link: Link;
  readonly broker: Broker;
  /** What an operator does, on a connection of their own. */
  readonly operator: Channel;
  publishAll(texts: readonly string[]): Promise<readonly PublishResult[]>;
  /** Publishes until the message is stored, as every publisher of ours does. */
  publishAtLast(outgoing: OutgoingMessage): Promise<void>;
  /**
   * Resolves when both connections were lost: the one that publishes, and the one that consumes.
   */
  connectionsLost(): Promise<void>;
  isEmpty(name: string): Promise<boolean>;
}

export async function openTestedBroker(): Promise<TestedBroker> {
  await using parts = new AsyncDisposableStack();
  const testServer = parts.use(await testBroker());
  const connection = await connect(testServer.url);
  connection.on("error", () => {});
  parts.defer(() => connection.close().catch(() => {}));
  const operator = (await connection.createChannel()).on("error", () => {});
  const link = parts.use(await openLink(testServer.url));
  const { url } = link;
  const server = serverAccess({ name: "broker", read: () => url, log: quiet });
  let losses = 0;
  const access: ServerAccess = Object.assign(Object.create(server), {
    lost(error: unknown) {
      losses += 1;
      server.lost(error);
    },
  });
  const broker = parts.use(
    await connectBroker({ url: access, name: "test", topology: "declare", agents, log: quiet }),
  );
  const owned = parts.move();
  return {
    server: testServer,
    link,
    broker,
    operator,
    publishAll: (texts) => Promise.all(texts.map((text) => broker.publish(message(text)))),
    publishAtLast: (outgoing) => until(async () => (await broker.publish(outgoing)) === "stored"),
    connectionsLost: () => until(() => losses === 2),
    isEmpty: async (name) => (await broker.inspect(name))?.messages === 0,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** RabbitMQ's HTTP API, as the user of a broker's URL. */
export function managementUrlOf(url: string): string {
  const { username, password } = new URL(url);
  const server = process.env["TEST_BROKER_MANAGEMENT_URL"];
  if (server === undefined) throw new Error("Set TEST_BROKER_MANAGEMENT_URL for this test");
  return Object.assign(new URL(server), { username, password }).href;
}

export const message = (
  text: string,
  overrides: Partial<OutgoingMessage> = {},
): OutgoingMessage => ({
  exchange: "",
  routingKey: queue,
  type: "step.request.v1",
  messageId: randomUUID(),
  body: Buffer.from(text),
  ...overrides,
});

export const textOf = ({ body }: Delivery): string => body.toString();
