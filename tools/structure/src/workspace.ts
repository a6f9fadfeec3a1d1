import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { type Module } from "./module.ts";
import { parseModule } from "./parse-module.ts";

export interface WorkspacePackage {
  /** The folder, relative to the root of the repository. */
  readonly folder: string;
  readonly name: string;
  /** The source file of each entry: "" for the package itself, "/test" for `<name>/test`. */
  readonly entries: Readonly<Record<string, string>>;
}

export interface Workspace {
  readonly packages: readonly WorkspacePackage[];
  readonly modules: readonly Module[];
}

const ignored = ["**/node_modules/**", "**/dist/**", "**/built/**", "**/.holdfast/**"];

/** Reads every package and parses every source file of the repository. */
export function readWorkspace(root: string): Workspace {
  const find = (pattern: string) =>
    globSync(pattern, { cwd: root, exclude: ignored }).map((file) => file.replaceAll("\\", "/"));
  const packages = find("{packages,services,tests,tools,examples/*}/*/package.json")
    .concat(find("benchmarks/package.json"))
    .map((file) => readPackage(root, file));
  const modules = find(
    "{packages,services,tests,tools,examples,benchmarks,infra}/**/*.{ts,tsx,mjs}",
  )
    .filter((file) => !file.endsWith(".d.ts"))
    .toSorted()
    .map((file) => parseModule(file, readFileSync(join(root, file), "utf8")));
  return { packages, modules };
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, { readonly "@holdfast/source": string }>>;
}

function readPackage(root: string, file: string): WorkspacePackage {
  const folder = dirname(file);
  const manifest = JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest;
  const entries = Object.entries(manifest.exports ?? {}).map(([key, target]) => [
    key.slice(1),
    posix.join(folder, target["@holdfast/source"]),
  ]);
  return { folder, name: manifest.name, entries: Object.fromEntries(entries) };
}

/** Returns the package that a file belongs to. */
export function packageOf(workspace: Workspace, path: string): WorkspacePackage | null {
  return workspace.packages.find(({ folder }) => path.startsWith(`${folder}/`)) ?? null;
}

/**
 * Returns the file of this repository that an import leads to, or null for Node's and third-party
 * modules.
 */
export function resolveImport(
  workspace: Workspace,
  from: string,
  specifier: string,
): string | null {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier);
  const found = workspace.packages.find(
    ({ name }) => specifier === name || specifier.startsWith(`${name}/`),
  );
  return found?.entries[specifier.slice(found.name.length)] ?? null;
}
