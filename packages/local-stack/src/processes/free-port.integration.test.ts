import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { freePort } from "./free-port.ts";

test.each(["127.0.0.1", "0.0.0.0"])("freePort skips a port that is taken on %s", async (host) => {
  const stranger = createServer().listen(0, host);
  await once(stranger, "listening");
  const { port } = stranger.address() as AddressInfo;

  expect(await freePort(port)).toBeGreaterThan(port);

  stranger.close();
});
