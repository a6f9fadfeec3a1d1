import { validateDefinition } from "@holdfast/contracts";
import type { WorkflowDefinition } from "@holdfast/domain";
import { filesSeen, loadModule, ModuleFault } from "@holdfast/runtime/modules";
import { collectWorkflows } from "@holdfast/workflow/check";
import { type LocatedError, locateError } from "./locate-error.ts";

/** A workflow that its file defines and that cannot be stored. */
interface RefusedDefinition {
  readonly name: string;
  readonly error: LocatedError;
}

/** What was found in one file. */
export type LoadedFile =
  | {
      readonly file: string;
      readonly definitions: readonly WorkflowDefinition[];
      readonly refused: readonly RefusedDefinition[];
    }
  | { readonly file: string; readonly error: LocatedError };

/** What a process that loads workflows says. */
export interface LoaderMessage {
  readonly loaded: readonly LoadedFile[];
  /** The files that they are made of, and those that were looked for in vain. */
  readonly seen: readonly string[];
}

/** The main file of a process that loads workflows once, and ends: the next save needs fresh modules. */
const files = JSON.parse(process.env["HOLDFAST_FILES"] ?? "[]") as readonly string[];
const folder = process.cwd();
const loaded: LoadedFile[] = [];
for (const file of files) loaded.push(await load(file));
process.send?.({ loaded, seen: filesSeen() } satisfies LoaderMessage, () => process.exit());

async function load(file: string): Promise<LoadedFile> {
  try {
    const found = await collectWorkflows(() => loadModule(file, folder), validateDefinition);
    const refused = found.refused.map(({ name, error }) => ({
      name,
      error: locateError(error, file, folder),
    }));
    return { file, definitions: found.definitions, refused };
  } catch (error) {
    const isLocated = error instanceof ModuleFault;
    return { file, error: isLocated ? error.located : locateError(error, file, folder) };
  }
}
