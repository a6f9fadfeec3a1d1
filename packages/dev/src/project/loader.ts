import { pathToFileURL } from "node:url";
import { definitionsIn, validateDefinition } from "@holdfast/contracts";
import type { WorkflowDefinition } from "@holdfast/domain";
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
    const attributes = file.endsWith(".json") ? { with: { type: "json" } } : {};
    const module = (await import(pathToFileURL(file).href, attributes)) as object;
    checkPlans(module);
    return { file, definitions: definitionsIn(module).map(validateDefinition) };
  } catch (error) {
    return { file, error: locateError(error, file, process.cwd()) };
  }
}
