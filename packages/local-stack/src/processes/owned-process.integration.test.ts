import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "@jest/globals";
import { removeAbandonedFolders, takeDataFolder } from "../folders/data-folder.ts";
import { startProcess } from "./owned-process.ts";
import { writePidFile } from "./pid-file.ts";
import { processIdentity } from "./process-identity.ts";

const parent = mkdtempSync(join(tmpdir(), "holdfast-process-"));
const newFolder = () => mkdtempSync(join(parent, "data-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

async function ended(pid: number): Promise<void> {
  while (processIdentity(pid) !== null) await sleep(10);
}

test("an owned process ends with its owner, even if the owner is killed with -9", async () => {
  const source = new URL("owned-process.ts", import.meta.url).href;
  const program = `
    const { startProcess } = await import(${JSON.stringify(source)});
    const { pid } = startProcess("sleeper", ["sleep", "600"], { folder: ${JSON.stringify(newFolder())} });
    process.stdout.write(String(pid));
    setInterval(() => {}, 1_000);`;
  const owner = spawn(process.execPath, ["--input-type=module", "--eval", program]);
  const [chunk] = await once(owner.stdout, "data");
  const pid = Number(chunk);
  expect(processIdentity(pid)).not.toBeNull();

  owner.kill("SIGKILL");

  await ended(pid);
});

test("an owned process that ignores the request to end is killed", async () => {
  const stubborn = ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done"] as const;
  const server = startProcess("stubborn", stubborn, { folder: newFolder() });
  while (server.lastLines() !== "ready") await sleep(10);

  await server.stop("SIGTERM", 50);

  expect(server.hasExited()).toBe(true);
});

test("the error about an owned process that ended quotes its output", async () => {
  const server = startProcess("talker", ["sh", "-c", "echo one; echo two >&2"], {
    folder: newFolder(),
  });
  await server.exited;
  expect(server.lastLines()).toBe("one\ntwo");
});

test("cleaning up ends processes that a dead owner left running", async () => {
  const folder = newFolder();
  const orphan = spawn("sleep", ["600"]);
  writePidFile(join(folder, "orphan.pid"), Number(orphan.pid));

  using _taken = takeDataFolder(folder, { fresh: false });

  await ended(Number(orphan.pid));
});

test("cleaning up does not end a foreign process that reuses the pid", async () => {
  const folder = newFolder();
  const stranger = spawn("sleep", ["600"]);
  const pid = Number(stranger.pid);
  const notes = { pid, identity: "another boot/1" };
  writeFileSync(join(folder, "stranger.pid"), JSON.stringify(notes));

  using _taken = takeDataFolder(folder, { fresh: false });

  expect(processIdentity(pid)).not.toBeNull();
  stranger.kill();
});

test("cleaning up removes abandoned folders and keeps those in use", () => {
  const folders = mkdtempSync(join(parent, "folders-"));
  const [used, abandoned] = [join(folders, "used"), join(folders, "abandoned")];
  using _used = takeDataFolder(used, { fresh: false });
  takeDataFolder(abandoned, { fresh: false })[Symbol.dispose]();

  removeAbandonedFolders(folders);

  expect([existsSync(used), existsSync(abandoned)]).toEqual([true, false]);
});
