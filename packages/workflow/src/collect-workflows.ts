import { definitionsIn } from "@holdfast/contracts";
import { checkPlan } from "./check-plan.ts";
import { planOf, type Workflow } from "./define-workflow.ts";
import { type CollectsRefusals, type RefusedDefinition, refusals } from "./refusals.ts";
import type { Schema } from "./schema.ts";

export { checkPlan } from "./check-plan.ts";
export type { RefusedDefinition } from "./refusals.ts";

/** What a module has of workflows. */
export interface CollectedWorkflows<Definition> {
  readonly definitions: readonly Definition[];
  /**
   * Workflows that cannot be stored, and Agents that cannot be defined; the others of their module
   * can.
   */
  readonly refused: readonly RefusedDefinition[];
}

type Read<Definition> = (definition: object) => Definition;

const collecting = globalThis as CollectsRefusals;
/** The load before: what is refused during a load is of that module, so there is one at a time. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Loads a module and collects its workflows. One that `defineWorkflow`, `checkPlan` or `read`
 * refuses is listed by its name, as is an Agent that `defineAgent` refuses, and the others are
 * collected all the same. A workflow that calls such an Agent is refused as well. `read` makes of a
 * definition what is wanted of it, as `validateDefinition` does. Throws what `load` throws: nothing
 * of the module is known then.
 */
export function collectWorkflows<Definition>(
  load: () => Promise<object>,
  read: Read<Definition>,
): Promise<CollectedWorkflows<Definition>> {
  const collected = last.then(() => collect(load, read));
  last = collected.catch(() => {});
  return collected;
}

async function collect<Definition>(
  load: () => Promise<object>,
  read: Read<Definition>,
): Promise<CollectedWorkflows<Definition>> {
  const refused: RefusedDefinition[] = [];
  collecting[refusals] = refused;
  try {
    const exported = await load();
    const definitions: Definition[] = [];
    for (const one of new Set<unknown>(Object.values(exported))) {
      try {
        if (isPlanned(one)) checkPlan(one);
        definitions.push(...definitionsIn({ one }).map(read));
      } catch (error) {
        // The definition of one that `defineWorkflow` refused throws what is listed already.
        const isListed = refused.some((known) => known.error === error);
        if (!isListed) refused.push({ kind: "workflow", name: nameOf(one), error });
      }
    }
    return { definitions, refused };
  } finally {
    delete collecting[refusals];
  }
}

const isPlanned = (one: unknown): one is Workflow<Schema> =>
  typeof one === "object" && one !== null && planOf in one;

const nameOf = (one: unknown): string => String((one as { readonly name?: unknown }).name);
