import { Fault, type WorkflowDefinition } from "@holdfast/domain";
import type { StateStore } from "@holdfast/state-store";
import { withContentVersion } from "./dev-version.ts";

type Store = Pick<
  StateStore,
  "registerWorkflow" | "findWorkflows" | "retireWorkflow" | "activateWorkflow"
>;

const turns = 20;
const actor = "holdfast dev";
const retiring = { actor, reason: "another version was saved" };
const activating = { actor, reason: "it was saved last", asAwaited: false };

/** Stores a definition under the version of its content. Resolves to its name. */
export async function storeVersion(
  store: Store,
  definition: WorkflowDefinition,
  storedBy: string,
): Promise<string> {
  for (let turn = 0; ; turn += 1) {
    const version = withContentVersion(definition, turn);
    try {
      // The versions before are retired with the next step, and their tasks go on with Agents of
      // today.
      await store.registerWorkflow(version, { storedBy, activates: false, breaks: "allowed" });
      return version.name;
    } catch (error) {
      // Two contents have one number: the next one is free, or is this content.
      const isTaken = error instanceof Fault && error.code === "workflow.changed";
      if (!isTaken || turn === turns) throw error;
    }
  }
}

interface OpenVersions {
  readonly names: readonly string[];
  readonly storedBy: string;
}

/**
 * Lets these versions, and no others that the same project stored, take new tasks. Tasks under way
 * go on with theirs, and workflows that were stored in another way stay as they are.
 */
export async function openVersions(store: Store, { names, storedBy }: OpenVersions): Promise<void> {
  const stored = await store.findWorkflows();
  for (const { name, isActive } of stored) {
    if (names.includes(name) && !isActive) await store.activateWorkflow({ name, ...activating });
  }
  for (const { name, retiredAt, storedBy: by } of stored) {
    const isOther = !names.includes(name) && by === storedBy;
    if (isOther && retiredAt === null) await store.retireWorkflow({ name, ...retiring });
  }
}
