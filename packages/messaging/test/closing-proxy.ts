import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The payload with which a broker says that a connection is open: class 10, method 41. */
const openOk = Buffer.from([0, 10, 0, 41]);
const [methodFrame, frameEnd, forced] = [1, 0xce, 320];

/** `connection.close` with the code 320, as when an operator closes a connection. */
function closeFrame(): Buffer {
  const text = Buffer.from("CONNECTION_FORCED");
  const payload = Buffer.concat([
    Buffer.from([0, 10, 0, 50, forced >> 8, forced & 0xff, text.length]),
    text,
    Buffer.from([0, 0, 0, 0]),
  ]);
  const head = Buffer.from([methodFrame, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(payload.length, 3);
  return Buffer.concat([head, payload, Buffer.from([frameEnd])]);
}

/**
 * Opens a way to a broker on which the first connection is closed in the packet that says it is
 * open, for tests.
 */
export async function openClosingProxy(
  brokerUrl: string,
): Promise<AsyncDisposable & { readonly url: string; readonly connections: number }> {
  const to = new URL(brokerUrl);
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const isFirst = connections === 1;
    const broker = connect(Number(to.port), to.hostname);
    for (const socket of [client, broker]) sockets.add(socket.on("error", () => {}));
    client.on("data", (bytes) => broker.write(bytes)).on("close", () => broker.destroy());
    broker.on("close", () => client.destroy());
    broker.on("data", (bytes) => {
      const closes = isFirst && bytes.includes(openOk);
      client.write(closes ? Buffer.concat([bytes, closeFrame()]) : bytes);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(brokerUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
