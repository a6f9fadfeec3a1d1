import { callsOf } from "@holdfast/domain";
import type { Logger } from "@holdfast/runtime";
import type { OperationsStore } from "@holdfast/state-store";
import type { WorkflowDirectory } from "./workflow-directory.ts";
import { missingFor } from "./workflow-warnings.ts";

interface ActivationDependencies {
  readonly store: OperationsStore;
  readonly directory: Pick<WorkflowDirectory, "reload">;
  readonly log: Pick<Logger, "info">;
}

/** Milliseconds between two looks at what waits. */
const every = 2_000;

const reason = "its Agents are known";

/**
 * Activates the versions whose Agents have come. Resolves to the milliseconds until the next look.
 */
export const activateAwaited =
  ({ store, directory, log }: ActivationDependencies) =>
  async (): Promise<number> => {
    const awaiting = await store.findAwaitingWorkflows();
    if (awaiting.length === 0) return every;
    const known = await store.findKnownAgents();
    for (const { name, storedBy } of awaiting) {
      const stored = await store.findWorkflow(name);
      if (stored === null || missingFor({ steps: callsOf(stored.definition) }, known).length > 0)
        continue;
      const actor = storedBy ?? "unnamed";
      if (!(await store.activateWorkflow({ name, actor, reason, asAwaited: true }))) continue;
      log.info({ workflow: name, actor }, "workflow activated");
      await directory.reload();
    }
    return every;
  };
