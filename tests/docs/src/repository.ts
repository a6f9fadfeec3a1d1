import { globSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../../", import.meta.url);

/** The path of a file of this repository. */
export const pathOf = (name: string): string => fileURLToPath(new URL(name, root));

export const readFile = (name: string): string => readFileSync(pathOf(name), "utf8");

/** The files of a folder, by their path below the root. */
export const filesIn = (folder: string): readonly string[] =>
  readdirSync(pathOf(folder)).map((name) => `${folder}/${name}`);

/** Folders that hold what is not ours. */
const foreign = new Set(["node_modules", ".holdfast", ".git", "dist"]);

/** Every Markdown file of this repository, by its path below the root. */
export const markdownFiles: readonly string[] = globSync("**/*.md", {
  cwd: fileURLToPath(root),
  exclude: (path) => foreign.has(path.split("/").at(-1) ?? ""),
}).toSorted();

const isTest = (file: string): boolean => /\.test\.ts$|\/test\//.test(file);

/** Every file of tests. */
export const testFiles: readonly string[] = globSync("**/*.test.ts", {
  cwd: fileURLToPath(root),
  exclude: (path) => foreign.has(path.split("/").at(-1) ?? ""),
}).toSorted();

/** The modules of the product, its tests left out. */
export const sourceFiles: readonly string[] = globSync("{packages,services}/*/src/**/*.ts", {
  cwd: fileURLToPath(root),
})
  .filter((file) => !isTest(file))
  .toSorted();

/** The files of the product with statements and migrations. */
export const productFiles: readonly string[] = [
  ...sourceFiles,
  ...globSync("packages/*/{sql,migrations}/**/*.sql", { cwd: fileURLToPath(root) }).toSorted(),
];

/**
 * Every file of this repository, by its path below the root: without what is built or installed.
 */
export const allFiles: readonly string[] = filesBelow("").toSorted();

function filesBelow(folder: string): readonly string[] {
  return readdirSync(pathOf(folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return foreign.has(entry.name) || entry.name === "built" ? [] : filesBelow(`${path}/`);
  });
}
