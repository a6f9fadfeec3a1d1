import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { whyNotHere } from "./run-dev.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast dev "));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("holdfast dev runs where a project is and its data can be written", () => {
  mkdirSync(join(folder, "agents"));
  expect(whyNotHere(folder, "linux")).toBeNull();
});

test("holdfast dev says in one sentence that it does not run on Windows, and what to do", () => {
  mkdirSync(join(folder, "agents"));
  expect(whyNotHere(folder, "win32")).toMatch(
    /^holdfast dev does not run on Windows, .*: run it in WSL\.$/,
  );
});

test("holdfast dev says that its folder is no project", () => {
  expect(whyNotHere(folder, "linux")).toMatch(/^There is no folder workflows\/ or agents\/ in /);
});

test("holdfast dev says that it cannot write its data, before anything is started", () => {
  mkdirSync(join(folder, "workflows"));
  writeFileSync(join(folder, ".holdfast"), "");
  expect(whyNotHere(folder, "linux")).toMatch(
    /\.holdfast cannot be written, where holdfast dev keeps its/,
  );
});
