import { once } from "node:events";
import { queryOnce } from "@holdfast/local-stack";
import { expect, test } from "@jest/globals";
import { connect } from "amqplib";
import { testBroker } from "./test-broker.ts";
import { testDatabase } from "./test-database.ts";

test("the test servers give each test its own database, and drop it under open connections", async () => {
  const [one, other] = await Promise.all([testDatabase(), testDatabase()]);
  await queryOnce(one.url, "create table mine ()");
  await expect(queryOnce(other.url, "select from mine")).rejects.toThrow("does not exist");

  await Promise.all([one.drop(), other.drop()]);

  await expect(queryOnce(one.url, "select 1")).rejects.toThrow("does not exist");
});

test("the test servers count, purge and delete the messages of a queue", async () => {
  await using broker = await testBroker();
  const connection = await connect(broker.url);
  const channel = await connection.createConfirmChannel();
  await channel.assertQueue("letters");
  channel.sendToQueue("letters", Buffer.from("one"));
  channel.sendToQueue("letters", Buffer.from("two"));
  await channel.waitForConfirms();

  expect(await broker.depth("letters")).toBe(2);
  expect(await broker.purge("letters")).toBe(2);
  expect(await broker.depth("letters")).toBe(0);
  await broker.deleteQueue("letters");
  await expect(broker.depth("letters")).rejects.toThrow("NOT_FOUND");
  await connection.close();
});

test("the test servers cut the connections of one virtual host, and no others", async () => {
  await using mine = await testBroker();
  await using other = await testBroker();
  const [cut, spared] = [await connect(mine.url), await connect(other.url)];
  for (const connection of [cut, spared]) connection.on("error", () => {});

  const closed = once(cut, "close");
  await mine.closeAllConnections();
  await closed;

  await (await spared.createChannel()).assertQueue("still-there");
  await spared.close();
});
