import { setTimeout as sleep } from "node:timers/promises";
import { causeOf, disposableStack, failureLog } from "@holdfast/runtime";
import type { Broker } from "./broker.ts";
import { type BrokerOptions, connectBroker } from "./connect-broker.ts";

/** Milliseconds between two attempts at the first connection. */
const retryDelay = 1_000;

/**
 * Connects to the broker in the background: tasks are accepted without it, because the state store
 * has them. `use` is called once there is a connection; what it returns is disposed
 * of before the connection.
 */
export function connectInBackground(
  options: BrokerOptions,
  use: (broker: Broker) => Promise<AsyncDisposable>,
): AsyncDisposable {
  const stop = new AbortController();
  const stack = disposableStack();

  const failures = failureLog();

  const isStopping = () => stop.signal.aborted;
  const connect = async (): Promise<void> => {
    while (!isStopping()) {
      try {
        await using attempt = disposableStack();
        const broker = attempt.use(await connectBroker({ ...options, signal: stop.signal }));
        attempt.use(await use(broker));
        if (!isStopping()) stack.use(attempt.move());
        return;
      } catch (err) {
        const count = isStopping() ? null : failures.failed(causeOf(err));
        if (count !== null) {
          options.log.warn({ err, failures: count }, "broker connection failed");
        }
        await sleep(retryDelay, undefined, { signal: stop.signal }).catch(() => {});
      }
    }
  };

  const connecting = connect();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      // What answers a request at the start may take longer: it ends by itself, with the process.
      await Promise.race([connecting, sleep(retryDelay, undefined, { ref: false })]);
      await stack.disposeAsync();
    },
  };
}

/**
 * A broker that may be used at once: until there is a connection nothing is sent and nothing known.
 */
export function brokerInBackground(
  options: BrokerOptions,
): Pick<Broker, "publish" | "inspect" | "isReady"> & AsyncDisposable {
  let connected: Broker | null = null;
  const connecting = connectInBackground(options, async (broker) => {
    connected = broker;
    return { [Symbol.asyncDispose]: async () => {} };
  });
  return {
    publish: (message) => connected?.publish(message) ?? Promise.resolve("unknown"),
    inspect: (queue) => connected?.inspect(queue) ?? Promise.resolve(null),
    get isReady() {
      return connected?.isReady ?? false;
    },
    [Symbol.asyncDispose]: () => connecting[Symbol.asyncDispose](),
  };
}
