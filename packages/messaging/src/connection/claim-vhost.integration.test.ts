import { randomUUID } from "node:crypto";
import { storeQueue } from "@holdfast/contracts";
import type { SetupFault } from "@holdfast/domain";
import { askBroker } from "@holdfast/local-stack";
import { serverAccess } from "@holdfast/runtime";
import { type TestBroker, testBroker } from "@holdfast/test-servers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { connect } from "amqplib";
import { quiet, until } from "../../test/fixtures.ts";
import { connectBroker } from "../connect-broker.ts";
import { inspectBroker } from "../inspect/inspect-broker.ts";
import { claimVhost } from "./claim-vhost.ts";

let parts: AsyncDisposableStack;
let server: TestBroker;

beforeEach(async () => {
  parts = new AsyncDisposableStack();
  server = parts.use(await testBroker());
});
afterEach(() => parts.disposeAsync());

/** Connects as a service of a store does, which ends with a fault where it must. */
async function connectFor(storeId: string, { takesOver = false } = {}) {
  const ended = new AbortController();
  const faults: SetupFault[] = [];
  const url = serverAccess({
    name: "broker",
    read: () => server.url,
    log: quiet,
    giveUp(fault) {
      faults.push(fault);
      ended.abort(fault);
    },
  });
  const how = { name: "test", topology: "declare", agents: [], log: quiet } as const;
  const owner = { storeId, takesOver };
  const broker = parts.use(await connectBroker({ url, owner, signal: ended.signal, ...how }));
  return { broker, faults };
}

const mine = randomUUID();
const theirs = randomUUID();
const refusal = {
  code: "config.invalid",
  message: expect.stringMatching(
    /^BROKER_URL: the virtual host \S+ belongs to the Holdfast of another state store.* BROKER_TAKE_OVER=on, or delete the queue holdfast\.store/,
  ),
};

test("a virtual host belongs to the store whose services connect first, and those of another one end", async () => {
  const { broker } = await connectFor(mine);
  expect((await connectFor(mine)).broker.isReady).toBe(true);
  await expect(connectFor(theirs)).rejects.toMatchObject(refusal);
  expect(broker.isReady).toBe(true);
});

test("of two stores whose services connect at once, one gets the virtual host", async () => {
  const both = await Promise.allSettled([connectFor(mine), connectFor(theirs)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

test("another store takes the virtual host over where it is set to, and services of the first end when they reconnect", async () => {
  const { faults } = await connectFor(mine);
  // Several services of a store start at once.
  const taken = await Promise.all([1, 2, 3].map(() => connectFor(theirs, { takesOver: true })));
  await server.closeAllConnections();
  await until(() => faults.length > 0);
  expect(faults[0]).toMatchObject(refusal);
  await until(() => taken.every(({ broker }) => broker.isReady));
  await expect(connectFor(mine)).rejects.toMatchObject(refusal);
});

test("connections that take the virtual host over at once do so one at a time, and the mark can be declared ever after", async () => {
  for (const storeId of Array.from({ length: 8 }, () => randomUUID())) {
    const takers = Array.from({ length: 8 }, () => connectFor(storeId, { takesOver: true }));
    const taken = await Promise.all(takers);
    expect(taken.every(({ broker }) => broker.isReady)).toBe(true);
    expect((await connectFor(storeId)).broker.isReady).toBe(true);
    for (const { broker } of taken) await broker[Symbol.asyncDispose]();
  }
});

test("a connection that never gets to take the virtual host over says what to do", async () => {
  await connectFor(mine);
  // Another connection holds what a taker has to hold.
  await askBroker(server.url, async (channel) => {
    await channel.assertQueue(`${storeQueue}.owner`, { exclusive: true, durable: false });
    const model = await connect(server.url);
    const claim = { storeId: theirs, takesOver: true, vhost: "shop", log: quiet };
    await expect(claimVhost(model, claim)).rejects.toThrow(
      /^holdfast\.store\.owner is not to be had: .* \(import the definitions of this release\)/,
    );
    await model.close();
  });
});

test("another store takes the virtual host over once the queue is deleted, and services of the first end when they reconnect", async () => {
  const { faults } = await connectFor(mine);
  await server.deleteQueue(storeQueue);
  const { broker } = await connectFor(theirs);
  await server.closeAllConnections();
  await until(() => faults.length > 0);
  expect(faults[0]).toMatchObject(refusal);
  await until(() => broker.isReady);
});

test("a broker that lost its data is marked anew by the services that come back", async () => {
  const { broker, faults } = await connectFor(mine);
  await server.deleteQueue(storeQueue);
  await server.closeAllConnections();
  await until(async () => broker.isReady && (await server.depth(storeQueue).catch(() => -1)) === 0);
  expect(faults).toEqual([]);
  await expect(connectFor(theirs)).rejects.toMatchObject(refusal);
});

test("an inspection says whether the virtual host is another store's", async () => {
  const look = async (storeId: string) =>
    (
      await inspectBroker({
        url: server.url,
        managementUrl: null,
        name: "test",
        agents: [],
        storeId,
      })
    ).owner;
  expect(await look(mine)).toMatchObject({ state: "missing", difference: null });
  await connectFor(mine);
  expect(await look(mine)).toMatchObject({ state: "there", difference: null });
  expect(await look(theirs)).toMatchObject({ difference: expect.stringContaining("x-max-length") });
});
