import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { unprivilegedHome, unprivilegedId } from "../folders/unprivileged-home.ts";
import { type PostgresBinaries, postgresBinariesIn } from "./postgres-binaries.ts";

const run = promisify(execFile);

/** How Postgres, which refuses to run as root, is run all the same. */
export interface PostgresAccount {
  readonly binaries: PostgresBinaries;
  /** The cluster's place. */
  readonly clusterFolder: string;
  /** What stands before each command. */
  readonly prefix: readonly string[];
  readonly user?: { readonly uid: number; readonly gid: number };
}

/**
 * A plain user runs it as it is. Root runs it in a user namespace where root has another number:
 * nothing is copied, no account is made. Where namespaces are forbidden, as in many containers, it
 * runs under the unprivileged id.
 */
export async function postgresAccount(
  binaries: PostgresBinaries,
  dataFolder: string,
): Promise<PostgresAccount> {
  const clusterFolder = `${dataFolder}/postgres`;
  if (process.getuid?.() !== 0) return { binaries, clusterFolder, prefix: [] };

  const unshare = ["-U", `--map-user=${unprivilegedId}`, `--map-group=${unprivilegedId}`];
  const allowed = await run("unshare", [...unshare, binaries.postgres, "--version"]).then(
    () => true,
    () => false,
  );
  if (allowed) return { binaries, clusterFolder, prefix: ["unshare", ...unshare] };

  return unprivilegedAccount(binaries, dataFolder);
}

/** Root runs it under the unprivileged id, on copies in a folder of that id. */
export async function unprivilegedAccount(
  binaries: PostgresBinaries,
  dataFolder: string,
): Promise<PostgresAccount> {
  const home = await unprivilegedHome(binaries.root, dataFolder);
  return {
    binaries: postgresBinariesIn(`${home}/binaries`),
    clusterFolder: `${home}/postgres`,
    prefix: [],
    user: { uid: unprivilegedId, gid: unprivilegedId },
  };
}
