import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The path of a file of this repository. */
export const pathOf = (name: string): string =>
  fileURLToPath(new URL(`../../../${name}`, import.meta.url));

export const readFile = (name: string): string => readFileSync(pathOf(name), "utf8");

/** The names of all files of a folder, from the root of the repository. */
export const filesIn = (folder: string): readonly string[] =>
  readdirSync(pathOf(folder)).map((name) => `${folder}/${name}`);
