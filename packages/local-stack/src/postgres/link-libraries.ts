import { readFile, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import type { PostgresBinaries } from "./postgres-binaries.ts";

/**
 * Makes the symbolic links between the libraries of Postgres, which a package cannot hold. The
 * package has an install script for it, and package managers that run no such scripts leave them
 * out.
 */
export async function linkLibraries({ root }: Pick<PostgresBinaries, "root">): Promise<void> {
  const list = await readFile(join(root, "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links = JSON.parse(list) as readonly { readonly source: string; readonly target: string }[];
  for (const { source, target } of links) {
    // Both begin with the name of the folder that holds them all, and stand in one folder of it.
    await symlink(basename(source), join(root, "..", target)).catch(whatIsThere);
  }
}

function whatIsThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
