import nodeModule, { type ResolveHookContext, type ResolveHookSync } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { filesMeant, firstFile, isPath, pathsMeant } from "./project-paths.ts";

type Next = Parameters<ResolveHookSync>[2];

/** What a module names that cannot be found. */
export interface MissingImport {
  readonly specifier: string;
  /** The file that names it. */
  readonly importer: string;
}

const missing = new Set([
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
  "ERR_UNSUPPORTED_DIR_IMPORT",
  "ERR_PACKAGE_IMPORT_NOT_DEFINED",
]);
const imports = new WeakMap<Error, MissingImport>();
const seen = new Set<string>();
let isRegistered = false;

const isOfProject = (url: string | undefined): url is string =>
  url?.startsWith("file:") === true && !url.includes("/node_modules/");

/**
 * Lets the modules of a project name each other as their compiler has them: by the name of what is
 * compiled, without an extension, and by paths of the nearest tsconfig.json. What Node finds by
 * itself stays what it finds, and installed packages are left alone. Before Node 22.15 nothing is
 * changed. Safe to repeat.
 */
export function resolveSources(): void {
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- Node has it since 22.15.
  if (isRegistered || nodeModule.registerHooks === undefined) return;
  isRegistered = true;
  try {
    nodeModule.registerHooks({ resolve: resolved });
  } catch {
    // A runner of tests has a loader of its own, and refuses hooks.
  }
}

function resolved(specifier: string, context: ResolveHookContext, next: Next) {
  const found = find(specifier, context, next);
  if (isOfProject(found.url)) seen.add(fileURLToPath(found.url));
  return found;
}

function find(specifier: string, context: ResolveHookContext, next: Next) {
  try {
    return next(specifier, context);
  } catch (error) {
    const { parentURL } = context;
    if (!(error instanceof Error) || !isOfProject(parentURL)) throw error;
    const { code, url } = error as NodeJS.ErrnoException & { readonly url?: string };
    if (!missing.has(code ?? "")) throw error;
    const importer = fileURLToPath(parentURL);
    const tried = pathsFor(specifier, importer, url).flatMap((path) => [path, ...filesMeant(path)]);
    const file = firstFile(tried);
    const isRequired = context.conditions.includes("require");
    if (file !== null) return next(isRequired ? file : pathToFileURL(file).href, context);
    // A file that is made later is one that was missed here.
    for (const path of tried) seen.add(path);
    imports.set(error, { specifier, importer });
    throw error;
  }
}

/** The paths to which a specifier leads that Node does not follow to a file. */
function pathsFor(specifier: string, importer: string, url: string | undefined): readonly string[] {
  if (url?.startsWith("file:") === true) return [fileURLToPath(url)];
  if (isPath(specifier)) {
    return [fileURLToPath(new URL(specifier, pathToFileURL(importer)))];
  }
  return pathsMeant(specifier, dirname(importer));
}

/** What a module named that an error is about; null: nothing is known. */
export const missingImportOf = (error: unknown): MissingImport | null =>
  (error instanceof Error && imports.get(error)) || null;

/**
 * The files of the project that were resolved in this process, and those that were looked for in
 * vain.
 */
export const filesSeen = (): readonly string[] => [...seen];
