import { createServer, connect as dial, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { BrokerOptions } from "./connect-broker.ts";

export const quiet: BrokerOptions["log"] = { warn: () => {}, error: () => {} };

/** A way to the broker that can be cut. */
export interface Line extends AsyncDisposable {
  readonly url: string;
  /** Breaks all connections; new ones are let through again. */
  cut(): void;
}

/** Puts a wire between us and the broker, which breaks without a goodbye. */
export async function openLine(brokerUrl: string): Promise<Line> {
  const target = new URL(brokerUrl);
  const sockets = new Set<Socket>();
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    const far = dial(Number(target.port || 5672), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one
        .on("error", () => {})
        .on("close", () => {
          sockets.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await listening;
  const address = server.address();
  const url = new URL(brokerUrl);
  url.hostname = "127.0.0.1";
  url.port = String(typeof address === "object" ? address?.port : "");
  return {
    url: url.href,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Collects what arrives, and lets a test wait for it. */
export function inbox<T>() {
  const items: T[] = [];
  let arrived = Promise.withResolvers<void>();
  return {
    items: items as readonly T[],
    add(item: T): void {
      items.push(item);
      arrived.resolve();
      arrived = Promise.withResolvers<void>();
    },
    /** The first `count` items, once there are as many. */
    async first(count: number): Promise<readonly T[]> {
      while (items.length < count) await arrived.promise;
      return items.slice(0, count);
    },
  };
}

/** Asks again and again until the answer is yes: for what nothing tells us about. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}
