import { cp, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrokerServer, startRabbitmq } from "@holdfast/local-stack";
import { type Authority, makeAuthority } from "@holdfast/test-servers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { accessTo } from "../../test/access.ts";
import { until } from "../../test/fixtures.ts";
import { inspectBroker } from "../inspect/inspect-broker.ts";
import { openConnection } from "./open-connection.ts";
import { userOf } from "./user-of.ts";

const resources = new AsyncDisposableStack();
const subject = "O=shop\\, north,CN=mail";
let folder: string;
let port: number;
let broker: BrokerServer;
let authority: Authority;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-certificates-"));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  authority = await makeAuthority(folder);
  const server = await authority.issue("server", "/CN=127.0.0.1");
  await authority.issue("mail", "/CN=mail/O=shop, north");
  await authority.issue("mail-renewed", "/CN=mail/O=shop, north");
  await authority.issue("stranger", "/CN=stranger");
  port = await freePort();
  broker = resources.use(
    await startRabbitmq({
      dataFolder: join(folder, "broker"),
      plugins: ["rabbitmq_auth_mechanism_ssl"],
      settings: [
        `listeners.ssl.1 = 127.0.0.1:${port}`,
        `ssl_options.cacertfile = ${authority.ca}`,
        `ssl_options.certfile = ${server.cert}`,
        `ssl_options.keyfile = ${server.key}`,
        "ssl_options.verify = verify_peer",
        "ssl_options.fail_if_no_peer_cert = true",
        "auth_mechanisms.1 = PLAIN",
        "auth_mechanisms.2 = AMQPLAIN",
        "auth_mechanisms.3 = EXTERNAL",
      ],
    }),
  );
  await broker.rabbitmqctl("add_user", subject, "unused");
  await broker.rabbitmqctl("set_permissions", "-p", "holdfast", subject, ".*", ".*", ".*");
});
afterAll(() => resources.disposeAsync());

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

const urlFor = (name: string, more = "") => {
  const file = (ending: string) => encodeURIComponent(join(folder, `${name}.${ending}`));
  const ca = encodeURIComponent(authority.ca);
  return `amqps://127.0.0.1:${port}/holdfast?cacertfile=${ca}&certfile=${file("pem")}&keyfile=${file("key")}&auth_mechanism=external${more}`;
};

test("a client connects by its certificate, and its messages carry the user that RabbitMQ knows it as", async () => {
  const url = urlFor("mail");
  expect(userOf(url)).toBe(subject);
  await using connection = await openConnection({ server: accessTo(url), name: "test" });
  const channel = await connection.createConfirmChannel();
  const { queue } = await channel.assertQueue("", { exclusive: true });
  channel.sendToQueue(queue, Buffer.from("{}"), { userId: userOf(url) });
  await channel.waitForConfirms();
  const message = await channel.get(queue, { noAck: true });
  expect(message).toMatchObject({ properties: { userId: subject } });
  await channel.close();
  const facts = await inspectBroker({ url, managementUrl: null, name: "test", agents: [] });
  expect(facts.version).toMatch(/^\d+\./);
});

test("a certificate that is replaced is used for the next connection, and its login refused without a user", async () => {
  const files = ["pem", "key"] as const;
  const put = async (name: string) => {
    for (const ending of files)
      await cp(join(folder, `${name}.${ending}`), join(folder, `now.${ending}`));
  };
  await put("mail");
  const access = accessTo(urlFor("now"));
  await using connection = await openConnection({ server: access, name: "test" });
  await put("mail-renewed");
  await broker.rabbitmqctl("close_all_connections", "renewed");
  await until(() => access.state.kind !== "up" || connection.isUp);
  await (await connection.createChannel()).close();

  await put("stranger");
  await expect(
    openConnection({
      server: accessTo(urlFor("now")),
      name: "test",
      signal: AbortSignal.timeout(3_000),
    }),
  ).rejects.toThrow();
});
