import { relative } from "node:path";
import { validateDefinition } from "@holdfast/contracts";
import type { WorkflowDefinition } from "@holdfast/domain";
import { filesSeen, loadModule, ModuleFault, watchLoad } from "@holdfast/runtime/modules";
import {
  collectWorkflows,
  type DefinedSchedule,
  type RefusedDefinition,
} from "@holdfast/workflow/check";
import { type LocatedError, locateError } from "./locate-error.ts";

/**
 * A workflow or a schedule that cannot be stored, or an Agent that cannot be defined, in a file or
 * in what it imports.
 */
interface Refused extends Omit<RefusedDefinition, "error"> {
  readonly error: LocatedError;
}

/** What was found in one file. */
export type LoadedFile =
  | {
      readonly file: string;
      readonly definitions: readonly WorkflowDefinition[];
      readonly schedules: readonly DefinedSchedule[];
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
    const { definitions, schedules } = found;
    return { file, definitions, schedules, refused };
  } catch (error) {
    const isLocated = error instanceof ModuleFault;
    return { file, error: isLocated ? error.located : locateError(error, file, folder) };
  }
}

/**
 * Loads a module. Throws a `ModuleFault` for one that waits for something before it is loaded:
 * every later save would wait with it.
 */
async function loadUnlessItWaits(file: string): Promise<object> {
  const { promise: waited, reject } = Promise.withResolvers<never>();
  const loading = watchLoad(
    () => loadModule(file, folder),
    () => reject(waits(file)),
  );
  return await Promise.race([loading, waited]);
}

function waits(file: string): ModuleFault {
  const place = relative(folder, file).replaceAll("\\", "/");
  const message =
    "it waits for something at its top level, such as a server: a workflow is written down before anything runs, so wait in a handler of its Agent instead";
  return new ModuleFault({ place, message }, null);
}
