import { definitionsIn } from "@holdfast/contracts";
import { checkPlan } from "./check-plan.ts";
import {
  type CollectsRefusals,
  planOf,
  type RefusedWorkflow,
  refusals,
  type Workflow,
} from "./define-workflow.ts";
import type { Schema } from "./schema.ts";

export { checkPlan } from "./check-plan.ts";
export type { RefusedWorkflow } from "./define-workflow.ts";

/** What a module has of workflows. */
export interface CollectedWorkflows<Definition> {
  readonly definitions: readonly Definition[];
  /** Workflows that cannot be stored; the others of their module can. */
  readonly refused: readonly RefusedWorkflow[];
}

const collecting = globalThis as CollectsRefusals;
/** How many modules are being loaded: the list of refusals goes with the last of them. */
let loads = 0;

/**
 * Loads a module and collects its workflows. One that `defineWorkflow`, `checkPlan` or `read` refuses is listed by its
 * name, and the others are collected all the same. `read` makes of a definition what is wanted of it, as
 * `validateDefinition` does. Throws what `load` throws: nothing of the module is known then.
 */
export async function collectWorkflows<Definition>(
  load: () => Promise<object>,
  read: (definition: object) => Definition,
): Promise<CollectedWorkflows<Definition>> {
  const all = (collecting[refusals] ??= []);
  const before = all.length;
  loads += 1;
  try {
    const exported = await load();
    const refused = all.slice(before);
    const definitions: Definition[] = [];
    for (const one of new Set<unknown>(Object.values(exported))) {
      try {
        if (isPlanned(one)) checkPlan(one);
        definitions.push(...definitionsIn({ one }).map(read));
      } catch (error) {
        // The definition of one that `defineWorkflow` refused throws what is listed already.
        const isListed = refused.some((known) => known.error === error);
        if (!isListed) refused.push({ name: nameOf(one), error });
      }
    }
    return { definitions, refused };
  } finally {
    loads -= 1;
    if (loads === 0) delete collecting[refusals];
  }
}

const isPlanned = (one: unknown): one is Workflow<Schema> =>
  typeof one === "object" && one !== null && planOf in one;

const nameOf = (one: unknown): string => String((one as { readonly name?: unknown }).name);
