import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const relativeImport = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

/** The file and every file of the project that it imports, directly or not. */
export function importGraph(file: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (one: string): void => {
    if (found.has(one) || !existsSync(one)) return;
    found.add(one);
    for (const [, specifier = ""] of readFileSync(one, "utf8").matchAll(relativeImport)) {
      visit(resolve(dirname(one), specifier));
    }
  };
  visit(file);
  return found;
}
