import { askBroker } from "@holdfast/local-stack";
import { createVhost } from "./create-vhost.ts";
import { testServerUrl } from "./test-server-url.ts";

export interface TestBroker extends AsyncDisposable {
  readonly url: string;
  /** Whether the virtual host is ours alone. */
  readonly isolated: boolean;
  /**
   * Imports definitions whose users are for this virtual host only. Null: the virtual host is not
   * ours alone.
   */
  readonly importDefinitions: ((definitions: object) => Promise<void>) | null;
  /** Cuts every connection to the virtual host. */
  closeAllConnections(): Promise<void>;
  /** How many messages wait in the queue. */
  depth(queue: string): Promise<number>;
  /** Throws away what waits in the queue, and says how many that were. */
  purge(queue: string): Promise<number>;
  /** Deletes the queue, and with it its consumers' subscriptions. */
  deleteQueue(queue: string): Promise<void>;
}

/**
 * `storeQueue` of @holdfast/contracts, whose tests use this package: it marks whose a virtual host
 * is.
 */
const storeQueue = "holdfast.store";

/**
 * A virtual host of one's own on the broker of this test run, removed on disposal. A broker that
 * was given by TEST_BROKER_URL alone, without TEST_BROKER_MANAGEMENT_URL, has one virtual host for
 * all tests: run those with `--runInBand`, on a virtual host that holds nothing of value.
 */
export async function testBroker(): Promise<TestBroker> {
  const managementUrl = process.env["TEST_BROKER_MANAGEMENT_URL"] ?? null;
  const serverUrl = testServerUrl("TEST_BROKER_URL");
  const vhost =
    managementUrl === null ? null : await createVhost({ url: serverUrl, managementUrl });
  const url = vhost?.url ?? serverUrl;
  if (vhost === null) await askBroker(url, (channel) => channel.deleteQueue(storeQueue));
  return {
    url,
    isolated: vhost !== null,
    importDefinitions:
      vhost === null ? null : (definitions) => vhost.importDefinitions(definitions),
    async closeAllConnections() {
      if (vhost === null) throw new Error("Set TEST_BROKER_MANAGEMENT_URL to cut connections.");
      await vhost.closeAllConnections();
    },
    depth: (queue) =>
      askBroker(url, async (channel) => (await channel.checkQueue(queue)).messageCount),
    purge: (queue) =>
      askBroker(url, async (channel) => (await channel.purgeQueue(queue)).messageCount),
    deleteQueue: (queue) =>
      askBroker(url, async (channel) => void (await channel.deleteQueue(queue))),
    async [Symbol.asyncDispose]() {
      await vhost?.drop();
    },
  };
}
