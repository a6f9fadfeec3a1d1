import { setTimeout as sleep } from "node:timers/promises";
import { type Broker, connectBroker, wakeHint } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";

interface Options {
  readonly url: string;
  readonly name: string;
  readonly log: Logger;
}

/** Milliseconds between two attempts at the first connection. */
const rest = 1_000;

/**
 * Hints to the Schedulers, once there is a broker. Orders are taken with or without: the state store
 * has them, and Schedulers look by themselves.
 */
export function hinting({
  url,
  name,
  log,
}: Options): AsyncDisposable & { readonly hint: () => void } {
  const stop = new AbortController();
  let hint: (() => void) | null = null;

  const connect = async (): Promise<Broker | null> => {
    while (!stop.signal.aborted) {
      try {
        const broker = await connectBroker({ url, name, topology: "passive", agents: [], log });
        hint = wakeHint(broker);
        return broker;
      } catch (err) {
        log.warn({ err }, "no broker to hint at");
        await sleep(rest, undefined, { signal: stop.signal }).catch(() => {});
      }
    }
    return null;
  };

  const connecting = connect();
  return {
    hint: () => hint?.(),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.race([
        connecting.then((broker) => broker?.[Symbol.asyncDispose]()),
        sleep(rest, undefined, { ref: false }),
      ]);
    },
  };
}
