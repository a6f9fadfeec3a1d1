import { openLink, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { openClosingProxy } from "../../test/closing-proxy.ts";
import { quiet, until } from "../../test/fixtures.ts";
import { openConnection } from "./open-connection.ts";

/** The start of the frame's payload in which a client says that it closes the connection: class 10, method 50. */
const connectionClose = Buffer.from([0, 10, 0, 50]);

test("a connection that breaks while it is closed during connecting does not end the process", async () => {
  await using server = await testBroker();
  await using link = await openLink(server.url);
  const lost = Promise.withResolvers<void>();
  const log = { ...quiet, warn: () => lost.resolve() };
  const connection = await openConnection({ url: link.url, name: "test", log });
  link.reset();
  link.hold(["toClient"]);
  await lost.promise;
  await until(() => link.connections === 1);
  const closed = connection[Symbol.asyncDispose]();
  link.heal();
  link.cutAt({ pattern: connectionClose, when: "before" });
  await closed;
  expect(link.cuts).toBe(1);
});

test("a connection that the broker closes with the end of the handshake comes back", async () => {
  await using server = await testBroker();
  await using proxy = await openClosingProxy(server.url);
  await using connection = await openConnection({ url: proxy.url, name: "test", log: quiet });
  await until(() => proxy.connections === 2 && connection.isUp);
  const channel = await connection.createConfirmChannel();
  await channel.close();
});
