import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Document } from "./operation-table.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const source = "docs/reference/openapi.json";

/**
 * Returns the code of each file, by its path below the root. Their libraries are loaded when a file
 * is stale.
 */
const makers: Readonly<Record<string, (document: string) => Promise<string>>> = {
  "packages/client/src/openapi.ts": async (document) => {
    const { clientTypes } = await import("./client-types.ts");
    return clientTypes(document);
  },
  "packages/cli/src/api/operations.ts": async (document) => {
    const { operationTable } = await import("./operation-table.ts");
    return operationTable(JSON.parse(document) as Document);
  },
};

/** The files that git does not keep. */
export const clientFiles: readonly string[] = Object.keys(makers);

/** Returns what a file must hold. */
export async function clientFile(name: string): Promise<string> {
  const document = readFileSync(join(root, source), "utf8");
  return `${firstLine()}\n\n${await makers[name]?.(document)}`;
}

/** Writes those files that are missing, or that another document, generator or library made. */
export async function writeClients(): Promise<void> {
  const wanted = firstLine();
  for (const name of clientFiles) {
    const file = join(root, name);
    if (existsSync(file) && readFileSync(file, "utf8").startsWith(`${wanted}\n`)) continue;
    // Another process may read or write the same file.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, await clientFile(name));
    renameSync(draft, file);
  }
}

/** Says what a file was made from: with the same first line it has the same content. */
function firstLine(): string {
  const { resolve } = createRequire(import.meta.url);
  const generator = globSync("*.ts", { cwd: import.meta.dirname, exclude: ["*.test.ts"] });
  const inputs = [
    join(root, source),
    ...generator.toSorted().map((file) => join(import.meta.dirname, file)),
    resolve("openapi-typescript/package.json"),
  ];
  const hash = createHash("sha256");
  for (const file of inputs) hash.update(readFileSync(file)).update("\0");
  return `// Made by tools/clients from ${source}, and not in git: ${hash.digest("hex")}`;
}
