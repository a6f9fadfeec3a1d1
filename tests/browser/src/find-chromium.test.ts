import { expect, test } from "@jest/globals";
import { findChromium } from "./find-chromium.ts";

test("CHROMIUM names the browser, and a name that leads to no program is an error", () => {
  expect(findChromium({ CHROMIUM: process.execPath })).toBe(process.execPath);
  expect(() => findChromium({ CHROMIUM: "/nowhere/chromium" })).toThrow("no program");
});

test("a folder of the PATH without a browser is passed over", () => {
  expect(findChromium({ PATH: "/nowhere" })).toBe(
    process.platform === "darwin" ? expect.anything() : null,
  );
});
