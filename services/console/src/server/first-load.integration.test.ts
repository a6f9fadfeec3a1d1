import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";

const built = new URL("../../built/", import.meta.url);

/** Bytes over the network, as a browser counts them. */
const budget = 250_000;

test("all scripts and styles together, and so the first load, are below 250 kB", () => {
  const assets = readdirSync(new URL("assets/", built)).map((name) => `assets/${name}`);
  expect(assets.some((path) => path.endsWith(".js"))).toBe(true);
  expect(assets.some((path) => path.endsWith(".css"))).toBe(true);
  const sizes = ["index.html", ...assets].map(
    (path) => gzipSync(readFileSync(new URL(path, built))).length,
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(budget);
});
