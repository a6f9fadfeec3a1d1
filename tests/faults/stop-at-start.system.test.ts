import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { launchService } from "@holdfast/processes";
import { migratedDatabase, moduleAt } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";

/** A port on which connections are taken, and nothing is ever answered. */
async function silentPort(): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Nothing listens there: it needs rights that no test has. */
const deadPort = 1;

const storeAt = (port: number) => `postgres://scheduler:x@127.0.0.1:${port}/holdfast`;
const brokerAt = (port: number) => `amqp://scheduler:x@127.0.0.1:${port}/holdfast`;

interface Started {
  readonly service: "scheduler" | "supervisor" | "submission" | "agent";
  readonly waitsFor: "the state store" | "the broker";
}

const started: readonly Started[] = [
  { service: "scheduler", waitsFor: "the state store" },
  { service: "scheduler", waitsFor: "the broker" },
  { service: "supervisor", waitsFor: "the state store" },
  { service: "submission", waitsFor: "the state store" },
  { service: "agent", waitsFor: "the broker" },
];

/** Resolves to the exit code of a process that is asked to stop once it has begun to wait. */
async function stopWhileWaiting(
  { service, waitsFor }: Started,
  { port, storeUrl }: { readonly port: number; readonly storeUrl: string },
): Promise<number | null> {
  const waiting = Promise.withResolvers<void>();
  const { process: launched } = launchService({
    service,
    env: {
      STATE_STORE_URL: waitsFor === "the broker" ? storeUrl : storeAt(port),
      BROKER_URL: brokerAt(port),
      AGENT_MODULES: moduleAt("examples/orders/handlers", "index"),
      PARTNERS_URL: "http://127.0.0.1:1",
      HTTP_HOST: "127.0.0.1",
      HTTP_PORT: "0",
      // Whatever has not stopped by then ends with another code.
      SHUTDOWN_GRACE: "1s",
    },
    onLog: ({ msg }) => {
      if (msg === "started") waiting.resolve();
    },
  });
  await Promise.race([waiting.promise, launched.exited]);
  launched.signal("SIGTERM");
  return await launched.exited;
}

test.each(["never answers", "is not there"])(
  "a service or an Agent that waits for a server that %s at its start ends within a second of SIGTERM",
  async (server) => {
    await using database = await migratedDatabase();
    await using silent = await silentPort();
    const port = server === "never answers" ? silent.port : deadPort;
    const codes = await Promise.all(
      started.map(async (one) => ({
        ...one,
        code: await stopWhileWaiting(one, { port, storeUrl: database.url }),
      })),
    );
    expect(codes).toEqual(started.map((one) => ({ ...one, code: 0 })));
  },
);
