import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "@jest/globals";
import { readOrigins } from "./cors.ts";
import { defaultLimits, openGuard } from "./guarded-server.ts";

const shop = "https://shop.example";

async function serve(list: string) {
  const guard = openGuard({ ...defaultLimits, origins: readOrigins(list) });
  const server = guard.server((_, response) => void response.end("served")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const ask = async (method: string, headers: Readonly<Record<string, string>>) => {
    const asking = request({ port, host: "127.0.0.1", method, headers, agent: false });
    const [response] = (await once(asking.end(), "response")) as [IncomingMessage];
    response.resume();
    return { status: response.statusCode, headers: response.headers };
  };
  return {
    ask,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const preflight = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "content-type,idempotency-key",
};

test("a page of an origin that is named may ask, and read what clients need", async () => {
  await using served = await serve(`${shop}, http://localhost:*`);
  for (const origin of [shop, "http://localhost:5173", "http://localhost"]) {
    const asked = await served.ask("OPTIONS", { origin, ...preflight });
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": expect.stringContaining("PUT"),
      "access-control-allow-headers": expect.stringMatching(/content-type.*idempotency-key/),
      vary: "origin",
    });
    expect(asked.headers).not.toHaveProperty("access-control-allow-credentials");
    const answered = await served.ask("GET", { origin });
    expect(answered.status).toBe(200);
    const readable = answered.headers["access-control-expose-headers"]?.split(", ") ?? [];
    for (const name of ["location", "retry-after", "etag", "idempotency-replayed", "x-request-id"])
      expect(readable).toContain(name);
  }
});

test("a refusal of the guard is to be read by the page, too", async () => {
  await using served = await serve(shop);
  const refused = await served.ask("GET", { origin: shop, host: "evil.example" });
  expect(refused.status).toBe(421);
  expect(refused.headers["access-control-allow-origin"]).toBe(shop);
});

test("a page of another origin, and every page where none is named, is allowed nothing", async () => {
  await using some = await serve(shop);
  await using none = await serve("");
  for (const [{ ask }, origin] of [
    [some, "https://evil.example"],
    [some, "https://shop.example.evil.example"],
    [some, "http://shop.example"],
    [some, "https://shop.example:8443"],
    [some, "null"],
    [none, shop],
  ] as const) {
    for (const method of ["OPTIONS", "GET"]) {
      const { headers } = await ask(method, { origin, ...(method === "GET" ? {} : preflight) });
      expect(headers["access-control-allow-origin"]).toBeUndefined();
      expect(headers["access-control-allow-methods"]).toBeUndefined();
    }
  }
});

test("what asks without an origin is answered as ever", async () => {
  await using served = await serve("*");
  const { status, headers } = await served.ask("GET", {});
  expect([status, headers["access-control-allow-origin"]]).toEqual([200, undefined]);
  expect((await served.ask("OPTIONS", {})).status).toBe(200);
});

test.each([
  "shop.example",
  "https://shop.example/",
  "https://shop.example/path",
  "https://*.example",
  "ftp://shop.example",
  "https://a@shop.example",
  "localhost:*",
  "null",
])("CORS_ORIGINS=%s is refused with what to write", (list) => {
  expect(() => readOrigins(list)).toThrow(/^CORS_ORIGINS: .* write it as https:\/\/shop\.example/);
});

test("an origin is compared as browsers write it", () => {
  const origins = readOrigins("HTTPS://Shop.Example:443, http://[::1]:*");
  expect(["https://shop.example", "http://[::1]:5173"].map((one) => origins.allows(one))).toEqual([
    true,
    true,
  ]);
});
