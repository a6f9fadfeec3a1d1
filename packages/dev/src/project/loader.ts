import { definitionsIn, validateDefinition } from "@holdfast/contracts";
import type { WorkflowDefinition } from "@holdfast/domain";
import { loadModule, ModuleFault } from "@holdfast/runtime/modules";
import { checkPlans } from "@holdfast/workflow/check";
import { type LocatedError, locateError } from "./locate-error.ts";

/** What was found in one file. */
export type LoadedFile =
  | { readonly file: string; readonly definitions: readonly WorkflowDefinition[] }
  | { readonly file: string; readonly error: LocatedError };

/** The main file of a process that loads workflows once, and ends: the next save needs fresh modules. */
const files = JSON.parse(process.env["HOLDFAST_FILES"] ?? "[]") as readonly string[];
const loaded: LoadedFile[] = [];
for (const file of files) loaded.push(await load(file));
process.send?.(loaded, () => process.exit());

async function load(file: string): Promise<LoadedFile> {
  try {
    const module = await loadModule(file, process.cwd());
    checkPlans(module);
    return { file, definitions: definitionsIn(module).map(validateDefinition) };
  } catch (error) {
    const isLocated = error instanceof ModuleFault;
    return { file, error: isLocated ? error.located : locateError(error, file, process.cwd()) };
  }
}
