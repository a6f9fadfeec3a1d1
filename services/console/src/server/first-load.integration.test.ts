import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";

const built = new URL("../../built/", import.meta.url);

/** Bytes over the network, as a browser counts them. */
const budget = 230_000;

const textOf = (path: string): string => readFileSync(new URL(path, built), "utf8");
const all = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, name]) => `assets/${name}`);

const html = textOf("index.html");
const shell = all(html, /(?:src|href)="\/console\/assets\/([^"]+\.(?:js|css))"/g);
/** The pages, each of which is loaded when it is first opened. */
const pages = shell
  .filter((path) => path.endsWith(".js"))
  .flatMap((path) => all(textOf(path), /\bimport\([`"']\.\/([^`"']+\.js)[`"']\)/g));

/** What a browser loads with these files: what they import, and what that does. */
function loadedWith(paths: readonly string[]): ReadonlySet<string> {
  const loaded = new Set(paths);
  // A set may grow while it is gone through.
  for (const path of loaded) {
    if (!path.endsWith(".js")) continue;
    for (const one of all(textOf(path), /(?:\bfrom|\bimport)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)) {
      loaded.add(one);
    }
  }
  return loaded;
}

test("the pages have all scripts and styles that were built between them", () => {
  expect(pages.length).toBeGreaterThan(5);
  const assets = readdirSync(new URL("assets/", built)).map((name) => `assets/${name}`);
  expect([...loadedWith([...shell, ...pages])].toSorted()).toEqual(assets.toSorted());
});

test.each(pages)("the first load of a page is below 230 kB: %s", (page) => {
  const sizes = ["index.html", ...loadedWith([...shell, page])].map(
    (path) => gzipSync(readFileSync(new URL(path, built))).length,
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(budget);
});
