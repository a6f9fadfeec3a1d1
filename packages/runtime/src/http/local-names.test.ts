import { expect, test } from "@jest/globals";
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
  expect(misdirection(headers, names)).toBeNull();
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
  expect(misdirection(headers, names)).toEqual(expect.any(String));
});
