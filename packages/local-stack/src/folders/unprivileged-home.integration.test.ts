import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { makeCluster } from "../postgres/make-cluster.ts";
import { unprivilegedAccount } from "../postgres/postgres-account.ts";
import { findPostgresBinaries } from "../postgres/postgres-binaries.ts";
import { removeDataFolder, unprivilegedHome, unprivilegedId } from "./unprivileged-home.ts";

const binaries = findPostgresBinaries();
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot && binaries ? test : test.skip;

asRoot(
  "root can make a cluster as nobody, and nothing of it is left when the data go",
  async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-nobody-"));
    if (binaries === null) return;
    const account = await unprivilegedAccount(binaries, dataFolder);
    await makeCluster(account, { name: "holdfast", password: "secret" });

    expect(account.user?.uid).toBe(unprivilegedId);
    expect(existsSync(join(account.clusterFolder, "PG_VERSION"))).toBe(true);
    expect(await unprivilegedHome(binaries.root, dataFolder)).toBe(
      join(account.clusterFolder, ".."),
    );

    removeDataFolder(dataFolder);
    expect(existsSync(join(account.clusterFolder, ".."))).toBe(false);
  },
);
