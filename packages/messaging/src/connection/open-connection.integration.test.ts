import { openLink, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { accessTo } from "../../test/access.ts";
import { openClosingProxy } from "../../test/closing-proxy.ts";
import { until } from "../../test/fixtures.ts";
import { openConnection } from "./open-connection.ts";

/**
 * The start of the frame's payload in which a client says that it closes the connection: class 10,
 * method 50.
 */
const connectionClose = Buffer.from([0, 10, 0, 50]);

test("a connection that breaks while it is closed during connecting does not end the process", async () => {
  await using server = await testBroker();
  await using link = await openLink(server.url);
  const access = accessTo(link.url);
  const connection = await openConnection({ server: access, name: "test" });
  link.reset();
  link.hold(["toClient"]);
  await until(() => access.state.kind === "away");
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
  await using connection = await openConnection({ server: accessTo(proxy.url), name: "test" });
  await until(() => proxy.connections === 2 && connection.isUp);
  const channel = await connection.createConfirmChannel();
  await channel.close();
});
