import { cpSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { DataFolderFault, takeDataFolder } from "./data-folder.ts";

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "holdfast-folder-"));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const take = (folder: string, fresh = false) => {
  using _taken = takeDataFolder(folder, { fresh });
  writeFileSync(join(folder, "kept"), "by the servers");
};

/** What keeps the folder from being taken; null: nothing. */
function refusalOf(folder: string): unknown {
  try {
    take(folder);
    return null;
  } catch (error) {
    return error;
  }
}

test.each([
  ["copied", (from: string, to: string) => cpSync(from, to, { recursive: true })],
  ["renamed", (from: string, to: string) => renameSync(from, to)],
])("a folder that was %s is refused in one sentence that names --fresh", (_, move) => {
  const [folder, other] = [join(parent, "before"), join(parent, "after")];
  take(folder);
  move(folder, other);
  const refusal = refusalOf(other);
  expect(refusal).toBeInstanceOf(DataFolderFault);
  expect(String(refusal)).toMatch(/after was made in .*before and works only there.*--fresh/);
  take(other, true);
  expect(refusalOf(other)).toBeNull();
});

test("a folder that stayed where it was is taken again with what is in it", () => {
  const folder = join(parent, "before");
  take(folder);
  expect(refusalOf(folder)).toBeNull();
  expect(existsSync(join(folder, "kept"))).toBe(true);
});

test("a folder that is in use is refused in one sentence", () => {
  const folder = join(parent, "before");
  using _taken = takeDataFolder(folder, { fresh: false });
  const refusal = refusalOf(folder);
  expect(refusal).toBeInstanceOf(DataFolderFault);
  expect(String(refusal)).toContain(`is in use by process ${process.pid}. Stop that one first.`);
});
