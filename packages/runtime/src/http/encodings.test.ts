import { expect, test } from "@jest/globals";
import { encodingWeight, varyBy } from "./encodings.ts";

test.each<[string | undefined, number, number]>([
  [undefined, 0, 0],
  ["", 0, 0],
  ["identity", 0, 0],
  ["gzip", 1, 0],
  ["GZip", 1, 0],
  ["x-gzip", 1, 0],
  ["br", 0, 1],
  ["gzip, deflate, br, zstd", 1, 1],
  ["deflate , gzip ;q=0.001", 0.001, 0],
  ["gzip;q=0", 0, 0],
  ["gzip; q=0.000, br;q=1.000", 0, 1],
  ["gzip;q = 0", 0, 0],
  ["*", 1, 1],
  ["*;q=0", 0, 0],
  ["*, gzip;q=0", 0, 1],
  ["gzip;q=0.8, *;q=0.2", 0.8, 0.2],
  ["identity;q=0, *;q=0", 0, 0],
  ["gzip;level=9;q=0.5", 0.5, 0],
  ["gzip;q=2", 1, 0],
  ["gzipped", 0, 0],
  [",,;;,q=0", 0, 0],
])("of %p gzip has the weight %d and br %d", (accepted, gzip, br) => {
  expect(encodingWeight(accepted, "gzip")).toBe(gzip);
  expect(encodingWeight(accepted, "br")).toBe(br);
});

test("an answer varies by all that it depends on", () => {
  const headers = new Map<string, string>();
  const response = {
    getHeader: (name: string) => headers.get(name),
    setHeader: (name: string, value: string) => headers.set(name, value),
  } as unknown as Parameters<typeof varyBy>[0];
  varyBy(response, "origin");
  expect(headers.get("vary")).toBe("origin");
  varyBy(response, "accept-encoding");
  expect(headers.get("vary")).toBe("origin, accept-encoding");
});
