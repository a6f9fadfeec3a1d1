import { type TestBroker, testBroker } from "@holdfast/local-stack";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { connectBroker } from "./connect-broker.ts";
import { quiet, until } from "./testing.ts";

const marker = "test.marker";

let parts: AsyncDisposableStack;
let server: TestBroker;

beforeEach(async () => {
  parts = new AsyncDisposableStack();
  server = parts.use(await testBroker());
});

afterEach(async () => {
  await parts.disposeAsync();
});

/** Somebody who keeps the marker, and what happened to it. */
async function keep(onMissing: () => void = () => {}) {
  const options = { url: server.url, name: "test", agents: [], log: quiet };
  const broker = parts.use(await connectBroker({ ...options, topology: "declare" }));
  const counts = { missing: 0, disconnected: 0 };
  const kept = await broker.keepMarker(marker, {
    disconnected: () => void (counts.disconnected += 1),
    missing: async () => {
      counts.missing += 1;
      onMissing();
    },
  });
  parts.use(kept);
  return counts;
}

const isThere = async () => (await server.depth(marker).catch(() => null)) === 0;

test("a broker without the marker is new: that is reported once, and it has the marker from then on", async () => {
  const first = await keep();
  expect(first).toEqual({ missing: 1, disconnected: 0 });
  expect(await isThere()).toBe(true);
  expect(await keep()).toEqual({ missing: 0, disconnected: 0 });
});

test("a broker that comes back with the marker has lost nothing, and one without it has", async () => {
  const counts = await keep();
  await server.closeAllConnections();
  await until(() => counts.disconnected === 1);
  await server.deleteQueue(marker);
  await server.closeAllConnections();
  await until(() => counts.missing === 2);
  await until(isThere);
});

test("while what is to be done about a new broker fails, it is not marked, and is tried again", async () => {
  let failures = 2;
  const counts = await keep(() => {
    failures -= 1;
    if (failures >= 0) throw new Error("no store");
  });
  expect(counts.missing).toBe(3);
  expect(await isThere()).toBe(true);
});
