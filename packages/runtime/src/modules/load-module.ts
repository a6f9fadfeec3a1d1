import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import { lineOfJsonFault, textOfBytes } from "@holdfast/domain";
import { type LocatedError, locateError } from "./locate-error.ts";
import { filesSeen, resolveSources } from "./resolve-sources.ts";

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
 * Milliseconds from one look at a load to the next, and how many looks in a row find nothing new in
 * one that waits.
 */
const [lookEvery, mostLooks] = [100, 100];

/**
 * Loads something. Calls `onWait` if that waits at its top level, such as for a server. It is
 * counted in turns in which this process was free and no further file was asked for, and not in
 * time: on a busy machine turns come late, and while a file is compiled or run there are none. What
 * waits for nothing that could come ends the process, unless other things keep it.
 */
export async function watchLoad<Loaded>(
  load: () => Promise<Loaded>,
  onWait: () => void,
): Promise<Loaded> {
  let [known, looks] = [filesSeen().length, 0];
  const look = setInterval(() => {
    const now = filesSeen().length;
    looks = now === known ? looks + 1 : 0;
    known = now;
    if (looks === mostLooks) onWait();
  }, lookEvery);
  look.unref();
  try {
    return await load();
  } finally {
    clearInterval(look);
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
