import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { callManagement } from "./management-api.ts";

/** How many requests are still to find their connection closed. */
let closing = 0;
let asked = 0;
const server = createServer((request, response) => {
  asked += 1;
  if (closing > 0) {
    closing -= 1;
    request.socket.destroy();
    return;
  }
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ name: "shop" }));
});
const call = () => {
  const { port } = server.address() as AddressInfo;
  return callManagement({ url: `http://guest:guest@127.0.0.1:${port}`, path: "/api/vhosts/shop" });
};

beforeAll(async () => void (await once(server.listen(0, "127.0.0.1"), "listening")));
beforeEach(() => {
  asked = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test("a request whose connection RabbitMQ closes before it answers is sent over another one", async () => {
  expect(await call()).toEqual({ name: "shop" });
  closing = 2;
  expect(await call()).toEqual({ name: "shop" });
  expect(asked).toBe(4);
});

test("an API that closes every connection is unreachable, and is not asked for ever", async () => {
  closing = 1_000;
  await expect(call()).rejects.toMatchObject({ code: "broker.unreachable" });
  expect(asked).toBe(6);
  closing = 0;
});
