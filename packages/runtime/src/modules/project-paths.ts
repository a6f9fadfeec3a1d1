import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { textOfBytes } from "@holdfast/domain";

/** What TypeScript writes in a specifier, and the files that it may mean, the source first. */
const sourcesOf: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
};
const extensions = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"];

/** The files that a path may mean which names none: as compilers and bundlers find them. */
export function filesMeant(path: string): readonly string[] {
  const given = extname(path);
  const sources = sourcesOf[given] ?? [];
  const stem = path.slice(0, path.length - given.length);
  return [
    ...sources.map((extension) => `${stem}${extension}`),
    ...extensions.map((extension) => `${path}${extension}`),
    ...extensions.map((extension) => join(path, `index${extension}`)),
  ];
}

/** Whether a specifier names a file, and no package. */
export const isPath = (specifier: string): boolean => /^(\.{0,2}\/|file:)/.test(specifier);

/** The first of these that is a file; null: none is. */
export const firstFile = (paths: readonly string[]): string | null =>
  paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true) ?? null;

interface Paths {
  /** The folder in which targets begin. */
  readonly folder: string;
  readonly paths: Readonly<Record<string, readonly string[]>>;
}

/**
 * The paths that a specifier may mean by `paths` and `baseUrl` of the `tsconfig.json` above a
 * folder.
 */
export function pathsMeant(specifier: string, folder: string): readonly string[] {
  const found = nearestPaths(folder);
  if (found === null) return [];
  return Object.entries(found.paths).flatMap(([pattern, targets]) => {
    const [before = "", after] = pattern.split("*");
    const isExact = after === undefined;
    const fits = isExact
      ? specifier === pattern
      : specifier.length >= before.length + after.length &&
        specifier.startsWith(before) &&
        specifier.endsWith(after);
    if (!fits) return [];
    const star = isExact ? "" : specifier.slice(before.length, specifier.length - after.length);
    return targets.map((target) =>
      resolve(
        found.folder,
        target.replace("*", () => star),
      ),
    );
  });
}

/** The paths of the first `tsconfig.json` on the way up; null: there is none. */
function nearestPaths(folder: string): Paths | null {
  for (let place = folder; ; place = dirname(place)) {
    const file = join(place, "tsconfig.json");
    if (existsSync(file)) return readPaths(file);
    if (dirname(place) === place) return null;
  }
}

/** Reads them of a file, or of the one that it extends. */
function readPaths(file: string, depth = 0): Paths | null {
  const { extends: base, compilerOptions = {} } = readConfig(file);
  const { baseUrl, paths } = compilerOptions;
  if (paths !== undefined || baseUrl !== undefined) {
    const all = baseUrl === undefined ? paths : { ...paths, "*": ["*"] };
    return { folder: resolve(dirname(file), baseUrl ?? "."), paths: all ?? {} };
  }
  const [parent] = [base ?? []].flat().toReversed();
  if (parent === undefined || !parent.startsWith(".") || depth > 8) return null;
  const named = resolve(dirname(file), parent);
  const found = firstFile([named, `${named}.json`]);
  return found === null ? null : readPaths(found, depth + 1);
}

interface Config {
  readonly extends?: string | readonly string[];
  readonly compilerOptions?: { readonly baseUrl?: string; readonly paths?: Paths["paths"] };
}

/**
 * It may hold comments and commas at ends. One that cannot be read has no paths: its compiler says
 * why.
 */
function readConfig(file: string): Config {
  const { text } = textOfBytes(readFileSync(file));
  const json = (text ?? "{}").replaceAll(
    /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*(?:\/\/[^\n]*\s*)*[}\]])/g,
    (_, quoted: string | undefined) => quoted ?? "",
  );
  try {
    return JSON.parse(json) as Config;
  } catch {
    return {};
  }
}
