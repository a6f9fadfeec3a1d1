import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where a file of this repository is. */
export const pathOf = (name: string): string =>
  fileURLToPath(new URL(`../../../${name}`, import.meta.url));

export const readFile = (name: string): string => readFileSync(pathOf(name), "utf8");
