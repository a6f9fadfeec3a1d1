import { cpSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";

/** What a copy does without. */
const left: ReadonlySet<string> = new Set([".git", ".holdfast", "dist", "coverage"]);

/**
 * Copies the source into a folder, removed on disposal. The packages refer to each other in the
 * copy, and to the installed packages of others where they are.
 */
export function copySource(root: string, folder: string): Disposable {
  rmSync(folder, { recursive: true, force: true });
  for (const name of readdirSync(root)) {
    if (left.has(name) || name === "node_modules") continue;
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !left.has(basename(path)) && !path.endsWith(".tsbuildinfo"),
    });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
