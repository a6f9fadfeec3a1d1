import { Fault, type WorkflowDefinition } from "@holdfast/domain";
import type { StateStore } from "@holdfast/state-store";
import { withContentVersion } from "./dev-version.ts";

type Store = Pick<
  StateStore,
  "registerWorkflow" | "findWorkflows" | "retireWorkflow" | "reinstateWorkflow"
>;

const turns = 20;
const wish = { actor: "holdfast dev", reason: "another version was saved" };

/** Stores a definition under the version of its content. Resolves to its name. */
export async function storeVersion(store: Store, definition: WorkflowDefinition): Promise<string> {
  for (let turn = 0; ; turn += 1) {
    const version = withContentVersion(definition, turn);
    try {
      // The versions before are retired with the next step, and their tasks go on with Agents of today.
      await store.registerWorkflow(version, { breaks: "allowed" });
      return version.name;
    } catch (error) {
      // Two contents have one number: the next one is free, or is this content.
      const isTaken = error instanceof Fault && error.code === "workflow.changed";
      if (!isTaken || turn === turns) throw error;
    }
  }
}

/** Lets these versions, and no others, take new tasks. Tasks under way go on with theirs. */
export async function openVersions(store: Store, names: readonly string[]): Promise<void> {
  const stored = await store.findWorkflows();
  for (const { name, retiredAt } of stored) {
    const isOpen = names.includes(name);
    if (isOpen && retiredAt !== null) await store.reinstateWorkflow({ name });
    if (!isOpen && retiredAt === null) await store.retireWorkflow({ name, ...wish });
  }
}
