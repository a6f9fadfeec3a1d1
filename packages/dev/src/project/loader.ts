import { relative } from "node:path";
import { validateDefinition } from "@holdfast/contracts";
import type { WorkflowDefinition } from "@holdfast/domain";
import { filesSeen, loadModule, ModuleFault } from "@holdfast/runtime/modules";
import { collectWorkflows, type RefusedDefinition } from "@holdfast/workflow/check";
import { type LocatedError, locateError } from "./locate-error.ts";

/**
 * A workflow that cannot be stored, or an Agent that cannot be defined, in a file or in what it
 * imports.
 */
interface Refused extends Omit<RefusedDefinition, "error"> {
  readonly error: LocatedError;
}

/** What was found in one file. */
export type LoadedFile =
  | {
      readonly file: string;
      readonly definitions: readonly WorkflowDefinition[];
      readonly refused: readonly Refused[];
    }
  | { readonly file: string; readonly error: LocatedError };

/** What a process that loads workflows says. */
export interface LoaderMessage {
  readonly loaded: readonly LoadedFile[];
  /** The files that they are made of, and those that were looked for in vain. */
  readonly seen: readonly string[];
}

/**
 * Milliseconds from one look at a load to the next, and how many looks in a row find nothing new
 * before it is given up.
 */
const [lookEvery, mostLooks] = [100, 100];

/**
 * The main file of a process that loads workflows once, and ends: the next save needs fresh
 * modules.
 */
const files = JSON.parse(process.env["HOLDFAST_FILES"] ?? "[]") as readonly string[];
const folder = process.cwd();
const loaded: LoadedFile[] = [];
for (const file of files) loaded.push(await load(file));
process.send?.({ loaded, seen: filesSeen() } satisfies LoaderMessage, () => process.exit());

async function load(file: string): Promise<LoadedFile> {
  try {
    const found = await collectWorkflows(() => loadUnlessItWaits(file), validateDefinition);
    const refused = found.refused.map(({ error, ...which }) => ({
      ...which,
      error: locateError(error, file, folder),
    }));
    return { file, definitions: found.definitions, refused };
  } catch (error) {
    const isLocated = error instanceof ModuleFault;
    return { file, error: isLocated ? error.located : locateError(error, file, folder) };
  }
}

/**
 * Loads a module. Throws a `ModuleFault` for one that waits for something before it is loaded:
 * every later save would wait with it. That is counted in turns in which this process was free and
 * no further file was asked for, and not in time: on a busy machine turns come late, and while a
 * file is compiled or run there are none.
 */
async function loadUnlessItWaits(file: string): Promise<object> {
  const { promise: waited, reject } = Promise.withResolvers<never>();
  let [known, looks] = [filesSeen().length, 0];
  const look = setInterval(() => {
    const now = filesSeen().length;
    looks = now === known ? looks + 1 : 0;
    known = now;
    if (looks >= mostLooks) reject(waits(file));
  }, lookEvery);
  // One that waits for nothing ends the process, which says so.
  look.unref();
  try {
    return await Promise.race([loadModule(file, folder), waited]);
  } finally {
    clearInterval(look);
  }
}

function waits(file: string): ModuleFault {
  const place = relative(folder, file).replaceAll("\\", "/");
  const message =
    "it waits for something at its top level, such as a server: a workflow is written down before anything runs, so wait in a handler of its Agent instead";
  return new ModuleFault({ place, message }, null);
}
