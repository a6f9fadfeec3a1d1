import { type TestBroker, testBroker } from "@holdfast/test-servers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type ChannelModel, connect } from "amqplib";
import { managementUrlOf } from "../../test/broker.ts";
import { callManagement, vhostOf } from "../inspect/management-api.ts";
import { compareDefinitions } from "./compare-definitions.ts";
import { definitionsOf, hashPassword } from "./definitions.ts";
import { importDefinitions, readDefinitions } from "./managed-topology.ts";

const password = "secret of the shop";

let broker: TestBroker;
beforeEach(async () => {
  broker = await testBroker();
});
afterEach(async () => {
  // Its virtual host goes, and users belong to the whole broker.
  const path = `/api/users/${encodeURIComponent(user())}`;
  await callManagement({ url: managementUrlOf(broker.url), method: "DELETE", path });
  await broker[Symbol.asyncDispose]();
});

const user = (): string => `${vhostOf(broker.url)}.shop`;

const definitionsWith = (limit: { readonly maxConnections?: number }) =>
  definitionsOf({
    vhost: vhostOf(broker.url),
    agents: [],
    users: [
      {
        name: user(),
        role: "application",
        statusWord: "shop",
        passwordHash: hashPassword(password),
        ...limit,
      },
    ],
  });

/** The difference that is found for the user alone. */
async function difference(limit: { readonly maxConnections?: number }) {
  const found = await readDefinitions({
    url: managementUrlOf(broker.url),
    vhost: vhostOf(broker.url),
  });
  if (found === null) throw new Error("The virtual host is gone");
  const all = compareDefinitions(definitionsWith(limit), found);
  return all.find(({ kind, name }) => kind === "user" && name === user()) ?? null;
}

test("an application may have as many connections open as its limit says, and another limit is a difference", async () => {
  await importDefinitions(
    { url: managementUrlOf(broker.url) },
    definitionsWith({ maxConnections: 2 }),
  );
  const url = Object.assign(new URL(broker.url), { username: user(), password }).href;
  // RabbitMQ counts a connection a moment after it has opened it, and of two first ones at once it
  // may count one for as long as they last: so they are opened one after the other and stay open,
  // until one is refused.
  const open: ChannelModel[] = [];
  const refusals: string[] = [];
  while (refusals.length === 0 && open.length < 20) {
    await connect(url).then(
      (connection) => open.push(connection),
      (error: unknown) => refusals.push(String(error)),
    );
  }
  expect(refusals.join()).toMatch("ConnectionClose");
  expect(open.length).toBeGreaterThanOrEqual(2);
  await Promise.all(open.map((connection) => connection.close()));
  expect(await difference({ maxConnections: 2 })).toBeNull();
  expect(await difference({})).toMatchObject({
    action: "change",
    detail:
      "its limits are max-channels 20, max-connections 2 and should be max-channels 1000, max-connections 100",
  });
  await importDefinitions({ url: managementUrlOf(broker.url) }, definitionsWith({}));
  expect(await difference({})).toBeNull();
});
