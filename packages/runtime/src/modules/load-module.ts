import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import { lineOfJsonFault, textOfBytes } from "@holdfast/domain";
import { type LocatedError, locateError } from "./locate-error.ts";
import { resolveSources } from "./resolve-sources.ts";

type Exports = Readonly<Record<string, unknown>>;

/** A module of a project that cannot be loaded. Its message begins with the place. */
export class ModuleFault extends Error {
  override readonly name = "ModuleFault";
  readonly located: LocatedError;

  constructor(located: LocatedError, cause: unknown) {
    super(`${located.place}: ${located.message}`, { cause });
    this.located = located;
  }
}

/**
 * Loads a file of a project: a module, or a definition as JSON. The one way in which workflows and
 * Agents are loaded, so that what one command takes the others take, too. Throws a `ModuleFault`,
 * with a place in `folder` where it is there.
 */
export async function loadModule(file: string, folder: string): Promise<Exports> {
  resolveSources();
  if (!existsSync(file)) {
    const place = relative(folder, file).replaceAll("\\", "/");
    throw new ModuleFault({ place, message: "there is no such file" }, null);
  }
  try {
    if (file.endsWith(".json")) return { default: readDefinition(file) };
    return exportsOf((await import(pathToFileURL(file).href)) as Exports);
  } catch (error) {
    throw new ModuleFault(locateError(error, file, folder), error);
  }
}

/**
 * All that a module exports. Node does not know all names of a CommonJS module: they stand in its
 * default.
 */
function exportsOf(module: Exports): Exports {
  const { default: whole } = module;
  const isNames =
    typeof whole === "object" &&
    whole !== null &&
    Object.getPrototypeOf(whole) === Object.prototype &&
    !("format" in whole) &&
    !("definition" in whole);
  return isNames ? { ...whole, ...module } : module;
}

function readDefinition(file: string): unknown {
  const { text, fault } = textOfBytes(readFileSync(file));
  if (fault !== null) throw Object.assign(new Error(`The file ${fault}`), { stack: "" });
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const why = (error as Error).message.split("\n")[0] ?? "";
    // Where it breaks off, as a line of a stack has it.
    throw Object.assign(new Error(`This is not JSON (${why})`, { cause: error }), {
      stack: `    at ${file}:${lineOfJsonFault(text)}`,
    });
  }
}
