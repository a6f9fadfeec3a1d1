import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { queryOnce, startLocalStack } from "@holdfast/local-stack";
import { sampleOrder } from "@holdfast/orders";
import { testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem, temporaryFolder, until } from "./faulty-system.ts";

const run = promisify(execFile);

/**
 * Whether this process has CAP_SYS_ADMIN: only root may mount a small disk, in many containers not
 * even root.
 */
const canMount = (() => {
  if (process.platform !== "linux") return false;
  const [, effective = "0"] =
    /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return ((BigInt(`0x${effective}`) >> 21n) & 1n) === 1n;
})();

/** A disk of so many MiB, at a folder of its own. */
async function mountDisk(path: string, size: number): Promise<AsyncDisposable> {
  await mkdir(path, { recursive: true });
  await run("mount", ["-t", "tmpfs", "-o", `size=${size}m,mode=0700`, "holdfast-test", path]);
  return { [Symbol.asyncDispose]: async () => void (await run("umount", ["-l", path])) };
}

/** Takes all that is left, and gives it back. */
async function fillDisk(path: string) {
  const filler = join(path, "filler");
  // It ends with an error when nothing is left.
  await run("dd", ["if=/dev/zero", `of=${filler}`, "bs=4k", "status=none"]).catch(() => {});
  return { release: () => rm(filler) };
}

(canMount ? test : test.skip)(
  "while the disk of Postgres is full, orders are refused with 503, and those that were accepted end right",
  async () => {
    await using folder = await temporaryFolder();
    const disk = join(folder.path, "disk");
    await using _mounted = await mountDisk(disk, 500);
    // Of these servers only Postgres is used: the broker is not to be short of disk.
    await using stack = await startLocalStack({ purpose: "demo", dataFolder: join(disk, "data") });
    await using broker = await testBroker();
    const { postgres } = stack;
    await using faulty = await startFaultySystem({
      servers: { stateStoreUrl: postgres.url, broker },
    });
    const ids = await faulty.submit(Array.from({ length: 20 }, () => "good" as const));

    // A new segment: what is written meanwhile fits in, so that no table has room and the log has.
    await queryOnce(postgres.url, "select pg_switch_wal()");
    const filled = await fillDisk(disk);
    const accepted: string[] = [];
    const order = async (seed: number): Promise<boolean> => {
      const response = await fetch(`${faulty.system.submissionUrl}/v1/orders`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(sampleOrder({ kind: "good", seed })),
      });
      if (response.status === 202) {
        accepted.push(((await response.json()) as { readonly id: string }).id);
        return false;
      }
      expect(response.status).toBe(503);
      return true;
    };
    // The last free bytes of the tables are used up first.
    let seed = 0;
    await until(async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => order((seed += 1))));
      return answers.includes(true);
    });
    await filled.release();

    const all = [...ids, ...accepted];
    expect(await faulty.verdict(all)).toEqual(allRight({ processed: all.length, undone: 0 }));
    expect(faulty.system.processes.every(({ isRunning }) => isRunning)).toBe(true);
  },
);
