import { type TestBroker, testBroker } from "@holdfast/test-servers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { quiet, until } from "../../test/fixtures.ts";
import { connectBroker } from "../connect-broker.ts";

const canaryQueue = "test.canaryQueue";

let parts: AsyncDisposableStack;
let server: TestBroker;

beforeEach(async () => {
  parts = new AsyncDisposableStack();
  server = parts.use(await testBroker());
});

afterEach(async () => {
  await parts.disposeAsync();
});

/** A connection that keeps the canary queue, and what happened to it. */
async function keep(onMissing: () => void = () => {}) {
  const options = { url: server.url, name: "test", agents: [], log: quiet };
  const broker = parts.use(await connectBroker({ ...options, topology: "declare" }));
  const counts = { missing: 0, disconnected: 0 };
  const kept = await broker.keepCanaryQueue(canaryQueue, {
    disconnected: () => void (counts.disconnected += 1),
    missing: async () => {
      counts.missing += 1;
      onMissing();
    },
  });
  parts.use(kept);
  return counts;
}

const isThere = async () => (await server.depth(canaryQueue).catch(() => null)) === 0;

test("a broker without the canary queue is reported as new once, and gets the canary queue", async () => {
  const first = await keep();
  expect(first).toEqual({ missing: 1, disconnected: 0 });
  expect(await isThere()).toBe(true);
  expect(await keep()).toEqual({ missing: 0, disconnected: 0 });
});

test("a broker that returns with the canary queue counts as unchanged, and one without it as wiped", async () => {
  const counts = await keep();
  await server.closeAllConnections();
  await until(() => counts.disconnected === 1);
  await server.deleteQueue(canaryQueue);
  await server.closeAllConnections();
  await until(() => counts.missing === 2);
  await until(isThere);
});

test("a new broker gets no canaryQueue until the recovery for it succeeds, which is retried", async () => {
  let failures = 2;
  const counts = await keep(() => {
    failures -= 1;
    if (failures >= 0) throw new Error("no store");
  });
  expect(counts.missing).toBe(3);
  expect(await isThere()).toBe(true);
});
