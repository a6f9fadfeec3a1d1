import { resolve } from "node:path";
import { definitionHash, definitionsIn, validateDefinition } from "@holdfast/contracts";
import { ContractFault, errorText, Fault, type WorkflowDefinition } from "@holdfast/domain";
import type { ServiceContext } from "@holdfast/runtime";
import { loadModule as loadFile } from "@holdfast/runtime/modules";
import type { OperationsStore, SubmissionStore } from "@holdfast/state-store";
import type { SubmissionConfig } from "./config.ts";
import { Problem } from "./problem.ts";
import type { WorkflowDirectory } from "./workflow-directory.ts";

type Service = Pick<ServiceContext<SubmissionConfig>, "config" | "log" | "instanceId">;

export interface Stored {
  /**
   * The store of a process that may do both: the login of most has the rights of one of the two.
   */
  readonly store: SubmissionStore & OperationsStore;
  readonly directory: WorkflowDirectory;
}

/** Stores the workflows of `WORKFLOW_MODULES`, and checks that `DEFAULT_WORKFLOW` is stored. */
export async function storeWorkflows(
  service: Service,
  { store, directory }: Stored,
): Promise<void> {
  const { config } = service;
  const definitions = await loadWorkflows(config.WORKFLOW_MODULES ?? "");
  for (const definition of definitions) await storeWorkflow(definition, service, store);
  await directory.reload();
  if (definitions.length > 0) await sayRetired(definitions, service, store);
  if (config.DEFAULT_WORKFLOW !== undefined) await mustBeStored(directory, config.DEFAULT_WORKFLOW);
}

/**
 * A version that only operators may store is stored by them: until then tasks go on in the version
 * before.
 */
async function storeWorkflow(
  definition: WorkflowDefinition,
  { log, instanceId: actor }: Service,
  store: Stored["store"],
): Promise<void> {
  const known = { workflow: definition.name, hash: definitionHash(definition), actor };
  try {
    const kind = await store.registerWorkflow(definition, { storedBy: actor });
    log.info({ ...known, kind }, "workflow stored");
  } catch (error) {
    if (!(error instanceof Fault && error.code === "workflow.operators_only")) throw error;
    log.warn({ ...known, err: error }, "workflow not stored");
  }
}

/** Says which of them take no new tasks although they are stored: storing does not reinstate. */
async function sayRetired(
  definitions: readonly WorkflowDefinition[],
  { log }: Service,
  store: Stored["store"],
): Promise<void> {
  const names = new Set(definitions.map(({ name }) => name));
  for (const { name: workflow, retiredAt, retiredBy } of await store.findWorkflows()) {
    if (retiredAt !== null && names.has(workflow)) {
      log.warn({ workflow, retiredBy }, "stored workflow is retired: it takes no new tasks");
    }
  }
}

/** Checked at the start, before the first message. */
async function mustBeStored(directory: WorkflowDirectory, workflow: string): Promise<void> {
  await directory
    .find(workflow, () => true)
    .catch((cause: unknown) => {
      if (!(cause instanceof Problem)) throw cause;
      throw new ContractFault("config.invalid", `DEFAULT_WORKFLOW: ${cause.message}`);
    });
}

/**
 * The workflows that modules export, as `defineWorkflow` returns them or as plain definitions. A
 * JSON file is a module, too: its content is one definition. `modules` are paths from the working
 * directory, or names of packages, with commas between them.
 */
async function loadWorkflows(modules: string): Promise<readonly WorkflowDefinition[]> {
  const names = modules
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return (await Promise.all(names.map(loadModule))).flat();
}

async function loadModule(name: string): Promise<readonly WorkflowDefinition[]> {
  const isPath = /^[./\\]|^[a-zA-Z]:[\\/]/.test(name);
  const loading = isPath ? loadFile(resolve(name), process.cwd()) : import(name);
  const loaded = (await loading.catch((cause: unknown) => {
    throw new ContractFault(
      "config.invalid",
      `WORKFLOW_MODULES: ${name} cannot be loaded: ${errorText(cause)}`,
    );
  })) as object;
  const found = definitionsIn(loaded).map(validateDefinition);
  if (found.length > 0) return found;
  throw new ContractFault("config.invalid", `WORKFLOW_MODULES: ${name} exports no workflow`);
}
