import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, mkdir, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { PostgresAccount } from "./postgres-account.ts";

const run = promisify(execFile);

/** Makes the cluster's files, with one user and its password, unless they are there. */
export async function makeCluster(
  { binaries, clusterFolder, prefix, user }: PostgresAccount,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<void> {
  const made = `${clusterFolder}.made`;
  // Written last: a cluster without it was not finished.
  if (existsSync(made)) return;
  await rm(clusterFolder, { recursive: true, force: true });
  await mkdir(clusterFolder, { mode: 0o700 });
  const passwordFile = `${clusterFolder}.password-once`;
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user) {
    for (const path of [clusterFolder, passwordFile]) await chown(path, user.uid, user.gid);
  }
  const options = ["--auth=scram-sha-256", "--encoding=UTF8", "--no-sync"];
  const locale =
    (await majorOf(binaries.initdb)) >= builtinLocaleFrom
      ? ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
      : ["--locale=C.UTF-8"];
  const owner = [`--username=${name}`, `--pwfile=${passwordFile}`];
  const initdb = [...prefix, binaries.initdb, "-D", clusterFolder, ...owner, ...options, ...locale];
  const [command, ...args] = initdb as [string, ...string[]];
  try {
    await run(command, args, { cwd: "/", ...user });
    await writeFile(made, "");
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** The first release with locales of its own. */
const builtinLocaleFrom = 17;

/**
 * Reads the release of Postgres from what a program of it prints, such as `initdb (PostgreSQL)
 * 18.4`.
 */
async function majorOf(program: string): Promise<number> {
  const { stdout } = await run(program, ["--version"]);
  return Number(/\) (\d+)/.exec(stdout)?.[1]);
}
