import { expect, test } from "@jest/globals";
import { readProxies } from "./addresses.ts";
import { readOrigins } from "./cors.ts";
import { misdirection, readNames } from "./local-names.ts";

const names = readNames("shop.example, [fd00::1]");

test.each([
  [{ host: "127.0.0.1:3000" }],
  [{ host: "LOCALHOST" }],
  [{ host: "[::1]:3000" }],
  [{ host: "shop.example:8080" }],
  [{ host: "[fd00::1]" }],
  [{ host: "127.0.0.1:3000", origin: "http://127.0.0.1:3000" }],
  [{ host: "shop.example", origin: "https://shop.example" }],
])("%j is for this host", (headers) => {
  expect(misdirection({ headers, socket: {} }, { names })).toBeNull();
});

test.each([
  [{ host: "rebind.evil.example:3001" }],
  [{ host: "127.0.0.1.evil.example" }],
  [{ host: "localhost.evil.example:3000" }],
  [{ host: "" }],
  [{}],
  [{ host: "127.0.0.1:3000", origin: "http://rebind.evil.example:3000" }],
  [{ host: "127.0.0.1:3000", origin: "http://127.0.0.1:8080" }],
  [{ host: "127.0.0.1:3000", origin: "null" }],
])("%j is not for this host", (headers) => {
  expect(misdirection({ headers, socket: {} }, { names })).toEqual(expect.any(String));
});

const proxies = readProxies("loopback");
const origin = "https://holdfast.example";
const host = "127.0.0.1:3000";

test.each([
  ["as the proxy was called", "127.0.0.1", "holdfast.example", true],
  ["that the proxy added to what a client wrote", "127.0.0.1", "x, holdfast.example", true],
  ["that a client wrote before the proxy did", "127.0.0.1", "holdfast.example, other", false],
  ["of a proxy that is not trusted", "192.0.2.1", "holdfast.example", false],
])("a page is known by the name %s", (_, remoteAddress, forwarded, isKnown) => {
  const headers = { host, origin, "x-forwarded-host": forwarded };
  const found = misdirection({ headers, socket: { remoteAddress } }, { names, proxies });
  expect(found === null).toBe(isKnown);
});

test("a page whose name was made to lead here cannot hide it behind a forwarded one", () => {
  const headers = { host: "rebind.evil.example", origin, "x-forwarded-host": "holdfast.example" };
  const socket = { remoteAddress: "127.0.0.1" };
  expect(misdirection({ headers, socket }, { proxies })).toContain("rebind.evil.example");
});

test("a page of another origin may ask where its origin is named", () => {
  const known = { origins: readOrigins("https://holdfast.example") };
  expect(misdirection({ headers: { host, origin }, socket: {} }, known)).toBeNull();
});
