import { definitionsIn } from "@holdfast/contracts";
import { checkPlan } from "./check-plan.ts";
import { planOf, type Workflow } from "./define-workflow.ts";
import { type CollectsRefusals, type RefusedDefinition, refusals } from "./refusals.ts";
import type { Schema } from "./schema.ts";

export { checkPlan } from "./check-plan.ts";
export { isRefused, type RefusedDefinition, refuse } from "./refusals.ts";

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
 * Loads something, and lists the definitions that are refused meanwhile: none of them fails the
 * others of its module. Throws what `load` throws.
 */
export function collectRefusals<Loaded>(
  load: (refused: RefusedDefinition[]) => Promise<Loaded>,
): Promise<{ readonly loaded: Loaded; readonly refused: readonly RefusedDefinition[] }> {
  const collect = async () => {
    const refused: RefusedDefinition[] = [];
    collecting[refusals] = refused;
    try {
      return { loaded: await load(refused), refused };
    } finally {
      delete collecting[refusals];
    }
  };
  const collected = last.then(collect);
  last = collected.catch(() => {});
  return collected;
}

/**
 * Loads a module and collects its workflows. One that `defineWorkflow`, `checkPlan` or `read`
 * refuses is listed by its name, as is an Agent that `defineAgent` or `host` refuses, and the
 * others are collected all the same. A workflow that calls an Agent that cannot be defined is
 * refused as well. `read` makes of a definition what is wanted of it, as `validateDefinition` does.
 * Throws what `load` throws: nothing of the module is known then.
 */
export async function collectWorkflows<Definition>(
  load: () => Promise<object>,
  read: Read<Definition>,
): Promise<CollectedWorkflows<Definition>> {
  const { loaded: definitions, refused } = await collectRefusals(async (list) => {
    const found: Definition[] = [];
    for (const one of new Set<unknown>(Object.values(await load()))) {
      try {
        if (isPlanned(one)) checkPlan(one);
        found.push(...definitionsIn({ one }).map(read));
      } catch (error) {
        // The definition of one that `defineWorkflow` refused throws what is listed already.
        const isListed = list.some((known) => known.error === error);
        if (!isListed) list.push({ kind: "workflow", name: nameOf(one), error });
      }
    }
    return found;
  });
  return { definitions, refused };
}

const isPlanned = (one: unknown): one is Workflow<Schema> =>
  typeof one === "object" && one !== null && planOf in one;

const nameOf = (one: unknown): string => String((one as { readonly name?: unknown }).name);
