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

test("a data folder that was not moved is used again with its content", () => {
  const folder = join(parent, "before");
  take(folder);
  expect(refusalOf(folder)).toBeNull();
  expect(existsSync(join(folder, "kept"))).toBe(true);
});

test.each([
  ["an older release without formats", "none", (folder: string) => rmSync(join(folder, "format"))],
  ["a newer release", "99", (folder: string) => writeFileSync(join(folder, "format"), "99")],
])(
  "a folder made by %s is refused in one sentence that says npm start -- --fresh",
  (_, format, make) => {
    const folder = join(parent, "before");
    take(folder);
    make(folder);
    const refusal = refusalOf(folder);
    expect(refusal).toBeInstanceOf(DataFolderFault);
    expect(String(refusal)).toContain(`has format ${format}, this release needs format`);
    expect(String(refusal)).toContain("npm start -- --fresh");
    take(folder, true);
    expect(refusalOf(folder)).toBeNull();
  },
);

test("a folder that is in use is refused in one sentence", () => {
  const folder = join(parent, "before");
  using _taken = takeDataFolder(folder, { fresh: false });
  const refusal = refusalOf(folder);
  expect(refusal).toBeInstanceOf(DataFolderFault);
  expect(String(refusal)).toContain(`is in use by process ${process.pid}. Stop that one first.`);
});
