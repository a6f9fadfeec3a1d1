import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { definitionsIn, validateDefinition } from "@holdfast/contracts";
import { ContractFault, type WorkflowDefinition } from "@holdfast/domain";

/**
 * The workflows that modules export, as `defineWorkflow` returns them or as plain definitions. A JSON file is a
 * module, too: its content is one definition. `modules` are paths from the working directory, or names of packages,
 * with commas between them.
 */
export async function loadWorkflows(modules: string): Promise<readonly WorkflowDefinition[]> {
  const names = modules
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return (await Promise.all(names.map(loadModule))).flat();
}

async function loadModule(name: string): Promise<readonly WorkflowDefinition[]> {
  const isPath = /^[./]|^[a-zA-Z]:[\\/]/.test(name);
  const from = isPath ? pathToFileURL(resolve(name)).href : name;
  const attributes = from.endsWith(".json") ? { with: { type: "json" } } : {};
  const loaded = (await import(from, attributes).catch((cause: unknown) => {
    throw new ContractFault(
      "config.invalid",
      `WORKFLOW_MODULES: ${name} cannot be loaded: ${String(cause)}`,
    );
  })) as object;
  const found = definitionsIn(loaded).map(validateDefinition);
  if (found.length > 0) return found;
  throw new ContractFault("config.invalid", `WORKFLOW_MODULES: ${name} exports no workflow`);
}
