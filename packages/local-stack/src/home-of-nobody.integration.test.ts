import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { homeOfNobody, nobody, removeDataFolder } from "./home-of-nobody.ts";
import { makeCluster } from "./make-cluster.ts";
import { accountOfNobody } from "./postgres-account.ts";
import { findPostgresBinaries } from "./postgres-binaries.ts";

const binaries = findPostgresBinaries();
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot && binaries ? test : test.skip;

asRoot(
  "root can make a cluster as nobody, and nothing of it is left when the data go",
  async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-nobody-"));
    if (binaries === null) return;
    const account = await accountOfNobody(binaries, dataFolder);
    await makeCluster(account, { name: "holdfast", password: "secret" });

    expect(account.user?.uid).toBe(nobody);
    expect(existsSync(join(account.clusterFolder, "PG_VERSION"))).toBe(true);
    expect(await homeOfNobody(binaries.root, dataFolder)).toBe(join(account.clusterFolder, ".."));

    removeDataFolder(dataFolder);
    expect(existsSync(join(account.clusterFolder, ".."))).toBe(false);
  },
);
