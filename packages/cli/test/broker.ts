import {
  agentQueue,
  deadReplyQueue,
  deadRequestQueue,
  heartbeatQueue,
  replyQueue,
  signalQueue,
  submissionQueue,
} from "@holdfast/contracts";
import { connectBroker } from "@holdfast/messaging";
import { type TestBroker, testBroker } from "@holdfast/test-servers";

/** A virtual host with Holdfast's queues, for tests, and what an operator can do to it. */
export interface OperatedBroker extends AsyncDisposable {
  readonly broker: TestBroker;
  /** RabbitMQ's HTTP API, for a user who may do everything. */
  readonly managementUrl: string;
  /** Listens as all services do, or as those who read these queues. */
  listen(queues?: readonly string[]): Promise<AsyncDisposable>;
  /** Resolves when these queues have consumers, and no other of `readQueues` has. */
  heard(queues: readonly string[]): Promise<void>;
  /** Calls the HTTP API; `:vhost` in the path is ours. */
  manage(method: "PUT" | "POST" | "DELETE", path: string, body?: object): Promise<void>;
}

const quiet = { warn: () => {}, error: () => {} };

/** The queues that must have a consumer. */
export const readQueues = (agents: readonly string[]): readonly string[] => [
  ...agents.map(agentQueue),
  replyQueue,
  submissionQueue,
  signalQueue,
  deadRequestQueue,
  deadReplyQueue,
  heartbeatQueue,
];

export async function openTestBroker(agents: readonly string[]): Promise<OperatedBroker> {
  await using stack = new AsyncDisposableStack();
  const broker = stack.use(await testBroker());
  const options = { url: broker.url, name: "test", agents, log: quiet };
  const operator = stack.use(await connectBroker({ ...options, topology: "declare" }));
  const isHeard = async (queue: string) => ((await operator.inspect(queue))?.consumers ?? 0) > 0;
  const managementUrl = managementOf(broker.url);
  const vhost = new URL(broker.url).pathname.slice(1);
  const owned = stack.move();
  return {
    broker,
    managementUrl,
    async listen(queues = readQueues(agents)) {
      await using connected = new AsyncDisposableStack();
      const listener = connected.use(await connectBroker({ ...options, topology: "passive" }));
      for (const queue of queues) {
        connected.use(await listener.consume(queue, { prefetch: 1 }, async () => {}));
      }
      return connected.move();
    },
    async heard(queues) {
      for (const queue of readQueues(agents)) {
        while ((await isHeard(queue)) !== queues.includes(queue));
      }
    },
    async manage(method, path, body) {
      const url = new URL(`/api/${path.replace(":vhost", vhost)}`, managementUrl);
      const credentials = Buffer.from(`${url.username}:${url.password}`).toString("base64");
      url.username = url.password = "";
      const response = await fetch(url, {
        method,
        headers: { authorization: `Basic ${credentials}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The test broker's HTTP API for the user of this virtual host. */
function managementOf(brokerUrl: string): string {
  const server = process.env["TEST_BROKER_MANAGEMENT_URL"];
  if (server === undefined) throw new Error("Set TEST_BROKER_MANAGEMENT_URL for these tests");
  const { username, password } = new URL(brokerUrl);
  return Object.assign(new URL(server), { username, password }).href;
}
