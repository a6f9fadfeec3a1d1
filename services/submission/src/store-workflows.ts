import { ContractFault } from "@holdfast/domain";
import type { ServiceContext } from "@holdfast/runtime";
import { type StateStore, workflowHash } from "@holdfast/state-store";
import type { SubmissionConfig } from "./config.ts";
import { loadWorkflows } from "./load-workflows.ts";
import { Problem } from "./problem.ts";
import type { WorkflowDirectory } from "./workflow-directory.ts";

type Service = Pick<ServiceContext<SubmissionConfig>, "config" | "log" | "instanceId">;

export interface Stored {
  readonly store: StateStore;
  readonly directory: WorkflowDirectory;
}

/** Stores the workflows of `WORKFLOW_MODULES`, and checks that `WORKFLOW` is stored. */
export async function storeWorkflows(
  service: Service,
  { store, directory }: Stored,
): Promise<void> {
  const { config, log, instanceId: actor } = service;
  for (const definition of await loadWorkflows(config.WORKFLOW_MODULES ?? "")) {
    const kind = await store.registerWorkflow(definition);
    const hash = workflowHash(definition);
    log.info({ workflow: definition.name, hash, actor, kind }, "workflow stored");
  }
  await directory.reload();
  if (config.WORKFLOW !== undefined) await mustBeStored(directory, config.WORKFLOW);
}

/** Checked at the start, before the first message. */
async function mustBeStored(directory: WorkflowDirectory, workflow: string): Promise<void> {
  await directory
    .find(workflow, () => true)
    .catch((cause: unknown) => {
      if (!(cause instanceof Problem)) throw cause;
      throw new ContractFault("config.invalid", `WORKFLOW: ${cause.message}`);
    });
}
