import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { posix, win32 } from "node:path";
import { fileURLToPath } from "node:url";
import { decodePercents, textOfBytes } from "@holdfast/domain";
import { isPath } from "./project-paths.ts";
import { filesSeen, missingImportOf } from "./resolve-sources.ts";

/** Why a module cannot be loaded, in one sentence, and where. */
export interface LocatedError {
  readonly message: string;
  /**
   * A path and a line, such as `workflows/welcome.ts:7`; the path alone where the line is not
   * known.
   */
  readonly place: string;
}

/** A line of a stack: a path or a URL of a file, and the line in it. */
const frame = /(?:^|\(|\s)(file:\/\/[^\s]+?|\/[^\n]+?|[A-Za-z]:\\[^\n]+?):(\d+)(?::\d+)?\)?\s*$/;

/**
 * Finds where in the project an error arose, by its stack; for a syntax error, where Node points.
 */
export function locateError(error: unknown, file: string, folder: string): LocatedError {
  const thrown = error instanceof Error ? error : new Error(String(error));
  const { message, stack = "" } = thrown;
  const [sentence = ""] = message.split("\n");
  const missing = missingImportOf(error);
  if (missing !== null) {
    const { specifier, importer } = missing;
    const line = lineOf(specifier, importer);
    const inside = within(folder, importer) ?? importer;
    return { message: notFound(specifier), place: line === null ? inside : `${inside}:${line}` };
  }
  const place =
    firstIn(stack, folder) ??
    (isSyntax(thrown) ? checked(file, folder) : null) ??
    placeOfImport(thrown, file, folder);
  return {
    message: `${sentence}${remedyFor(thrown)}`,
    place: place ?? within(folder, file) ?? file,
  };
}

const isSyntax = (error: Error): boolean =>
  error instanceof SyntaxError ||
  /^ERR_(UNSUPPORTED|INVALID)_TYPESCRIPT_SYNTAX$/.test((error as NodeJS.ErrnoException).code ?? "");

function firstIn(text: string, folder: string): string | null {
  for (const line of text.split("\n")) {
    const [, path = "", number] = frame.exec(line) ?? [];
    const inside = path === "" ? null : within(folder, pathOf(path));
    if (inside !== null && !/(^|[\\/])node_modules[\\/]/.test(inside)) return `${inside}:${number}`;
  }
  return null;
}

/** A path as people write it: of a URL its characters are escaped. */
function pathOf(place: string): string {
  if (!place.startsWith("file:")) return place;
  const isWindows = /^file:\/\/\/[A-Za-z]:/.test(place);
  try {
    return fileURLToPath(place, { windows: isWindows });
  } catch {
    return place;
  }
}

/**
 * The path from the folder; null: it leads out of it. The form of the folder says which system it
 * is of.
 */
function within(folder: string, path: string): string | null {
  const system = /^[A-Za-z]:[\\/]/.test(folder) ? win32 : posix;
  const inside = system.relative(folder, path);
  return inside.startsWith("..") || system.isAbsolute(inside) ? null : inside;
}

/** V8 tells the line of a syntax error to the terminal only. */
function checked(file: string, folder: string): string | null {
  try {
    execFileSync(process.execPath, ["--check", file], { stdio: "pipe", encoding: "utf8" });
    return null;
  } catch (error) {
    return firstIn(String((error as { readonly stderr?: unknown }).stderr), folder);
  }
}

/** The line in which a file names what it imports; null: it does not stand there so. */
function lineOf(specifier: string, file: string): number | null {
  try {
    const lines = (textOfBytes(readFileSync(file)).text ?? "").split("\n");
    const at = lines.findIndex((line) =>
      ['"', "'", "`"].some((quote) => line.includes(`${specifier}${quote}`)),
    );
    return at === -1 ? null : at + 1;
  } catch {
    return null;
  }
}

/**
 * The place where a module is named that cannot be imported as it is; null: it is about something
 * else.
 */
function placeOfImport({ message }: Error, file: string, folder: string): string | null {
  const [, url] = /^Module "(file:[^"]+)" needs an import attribute/.exec(message) ?? [];
  if (url === undefined) return null;
  const last = url.slice(url.lastIndexOf("/") + 1);
  const name = decodePercents(last) ?? last;
  for (const one of [file, ...filesSeen()]) {
    const line = lineOf(name, one);
    const inside = within(folder, one);
    if (line !== null && inside !== null) return `${inside}:${line}`;
  }
  return null;
}

function notFound(specifier: string): string {
  const what = `"${specifier}" cannot be found: `;
  if (isPath(specifier)) return `${what}there is no such file`;
  if (specifier.startsWith("#")) return `${what}"imports" of package.json leads to no file`;
  return `${what}it is no package that is installed here, and no path of tsconfig.json`;
}

/** What to write instead, where Node does not say so; empty: it does. */
function remedyFor(error: Error): string {
  const { message } = error;
  const { code } = error as NodeJS.ErrnoException;
  if (/strip-only mode/.test(message)) {
    return ": Node only leaves types out. Write what JavaScript has, such as an object for an enum, or set NODE_OPTIONS=--experimental-transform-types";
  }
  if (/Cannot use import statement outside a module/.test(message)) {
    return ': package.json says "type": "commonjs". Write "module" there, or end the name of the file in .mts';
  }
  if (/does not provide an export named/.test(message)) {
    return ". If it is a type, write import type";
  }
  if (code === "ERR_IMPORT_ATTRIBUTE_MISSING")
    return ': write with { type: "json" } after its name';
  if (code === "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING") {
    return ": a package has to be compiled before it is installed";
  }
  return "";
}
