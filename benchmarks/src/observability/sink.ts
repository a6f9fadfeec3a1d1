import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Takes spans by OTLP over HTTP and keeps none: a collector that costs as little as possible. */
const counted = { requests: 0, bytes: 0 };

const server = createServer((request, response) => {
  if (request.method === "GET") return response.end(JSON.stringify(counted));
  counted.requests += 1;
  request.on("data", (chunk: Buffer) => (counted.bytes += chunk.length));
  request.on("end", () => response.end());
  return response;
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ level: 30, msg: "ready", port })}\n`);
});
process.once("SIGTERM", () => process.exit(0));
