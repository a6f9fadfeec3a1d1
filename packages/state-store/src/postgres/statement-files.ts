import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const sqlFolder = fileURLToPath(new URL("../../sql", import.meta.url));

/** The file of each statement, by its name. Files lie in rooms; the name is unique across all of them. */
export const statementFiles: ReadonlyMap<string, string> = findStatementFiles(sqlFolder);

function findStatementFiles(folder: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".sql")) continue;
    const name = basename(path, ".sql");
    const earlier = files.get(name);
    if (earlier !== undefined)
      throw new Error(`Two statements are named ${name}: ${earlier}, ${path}`);
    files.set(name, join(folder, path));
  }
  return files;
}
