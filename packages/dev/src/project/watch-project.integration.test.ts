import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { takeSnapshot, watchProject } from "./watch-project.ts";

/** A project with one file, and what the watch says of it. */
async function watched() {
  await using stack = new AsyncDisposableStack();
  const root = mkdtempSync(join(tmpdir(), "holdfast-watch-"));
  stack.defer(() => rmSync(root, { recursive: true }));
  const folder = join(root, "project");
  mkdirSync(folder);
  for (const name of ["workflows", "agents"]) mkdirSync(join(folder, name));
  const file = join(folder, "workflows/welcome.ts");
  writeFileSync(file, "first");
  const saves: ReadonlySet<string>[] = [];
  let wake = (): void => {};
  const watching = stack.use(
    watchProject(folder, takeSnapshot(folder), (files) => {
      saves.push(files);
      wake();
    }),
  );
  const owned = stack.move();
  return {
    root,
    file,
    saves,
    watching,
    /** Resolves at the next save. The test's own limit ends it. */
    nextSave: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test("each save of a file is seen, however soon it follows the one before, and however busy this process is", async () => {
  await using project = await watched();
  for (let count = 0; count < 60; count += 1) {
    const seen = project.nextSave();
    writeFileSync(project.file, `${count} ${"x".repeat(500)}`);
    const busyUntil = performance.now() + (count % 4) * 15;
    while (performance.now() < busyUntil);
    await seen;
    await sleep(count);
  }
  expect(project.saves.every((files) => files.has(project.file) && files.size === 1)).toBe(true);
});

test("a file that is written with the content that it has is no save, and one that goes is", async () => {
  await using project = await watched();
  const { file, saves } = project;
  const other = join(file, "../other.ts");
  const seen = project.nextSave();
  writeFileSync(file, "first");
  writeFileSync(other, "other");
  await seen;
  expect(saves).toEqual([new Set([other])]);
  const gone = project.nextSave();
  rmSync(other);
  await gone;
  expect(saves.at(-1)).toEqual(new Set([other]));
});

test("a file that is saved while the watch begins is seen", async () => {
  for (let delay = 0; delay < 40; delay += 1) {
    await using project = await watched();
    const other = join(project.file, "../other.ts");
    const seen = project.nextSave();
    const until = performance.now() + delay / 4;
    while (performance.now() < until) await new Promise(setImmediate);
    writeFileSync(other, "other");
    await seen;
    expect(project.saves.at(-1)).toEqual(new Set([other]));
  }
});

test("a file elsewhere is watched once it is loaded, also where an editor replaces it or it came later", async () => {
  await using project = await watched();
  const { root, watching, saves } = project;
  const [built, later] = [join(root, "words/dist/index.js"), join(root, "words/later.ts")];
  mkdirSync(join(built, ".."), { recursive: true });
  writeFileSync(built, "first");
  watching.also([built, later], Date.now() + 1_000);
  for (const content of ["second", "third"]) {
    const seen = project.nextSave();
    writeFileSync(`${built}.new`, content);
    renameSync(`${built}.new`, built);
    await seen;
    expect(saves.at(-1)).toEqual(new Set([built]));
  }
  const seen = project.nextSave();
  writeFileSync(later, "later");
  await seen;
  expect(saves.at(-1)).toEqual(new Set([later]));
});

test("a file elsewhere that was written while it was being loaded counts as saved", async () => {
  await using project = await watched();
  const other = join(project.root, "words.ts");
  writeFileSync(other, "first");
  const seen = project.nextSave();
  project.watching.also([other, project.file], Date.now() - 60_000);
  await seen;
  expect(project.saves).toEqual([new Set([other])]);
});
