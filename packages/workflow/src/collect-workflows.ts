import { definitionsIn } from "@holdfast/contracts";
import { ContractFault } from "@holdfast/domain";
import { checkPlan } from "./check-plan.ts";
import { type DefinedSchedule, schedulesIn } from "./define-schedule.ts";
import { planOf, type Workflow } from "./define-workflow.ts";
import { type CollectsRefusals, type RefusedDefinition, refusals } from "./refusals.ts";
import type { Schema } from "./schema.ts";

export { checkPlan } from "./check-plan.ts";
export { type DefinedSchedule, scheduleMistakes, schedulesIn } from "./define-schedule.ts";
export { isRefused, type RefusedDefinition, refuse } from "./refusals.ts";

/** What a module has of workflows and schedules. */
export interface CollectedWorkflows<Definition> {
  readonly definitions: readonly Definition[];
  readonly schedules: readonly DefinedSchedule[];
  /**
   * Workflows and schedules that cannot be stored, and Agents that cannot be defined; the others of
   * their module can.
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
 * Loads a module and collects its workflows and schedules. One that `defineWorkflow`, `checkPlan`,
 * `defineSchedule` or `read` refuses is listed by its name, as is an Agent that `defineAgent` or
 * `host` refuses, and the others are collected all the same. A workflow that calls an Agent that
 * cannot be defined is refused as well, and a schedule with its workflow. `read` makes of a
 * definition what is wanted of it, as `validateDefinition` does. Throws what `load` throws: nothing
 * of the module is known then.
 */
export async function collectWorkflows<Definition>(
  load: () => Promise<object>,
  read: Read<Definition>,
): Promise<CollectedWorkflows<Definition>> {
  const { loaded, refused } = await collectRefusals(async (list) => {
    const definitions: Definition[] = [];
    const schedules: DefinedSchedule[] = [];
    for (const one of new Set<unknown>(Object.values(await load()))) {
      try {
        if (isPlanned(one)) checkPlan(one);
        definitions.push(...definitionsIn({ one }).map(read));
        schedules.push(...schedulesIn({ one }));
      } catch (error) {
        // The definition of one that was refused as it was defined throws what is listed already.
        const isListed = list.some((known) => known.error === error);
        if (!isListed) list.push({ kind: "workflow", name: nameOf(one), error });
      }
    }
    return { definitions, schedules: eachIdOnce(schedules, list) };
  });
  return { ...loaded, refused };
}

/** Refuses schedules whose id an earlier one of the module has. */
function eachIdOnce(
  schedules: readonly DefinedSchedule[],
  list: RefusedDefinition[],
): readonly DefinedSchedule[] {
  const firsts = new Map(schedules.toReversed().map((one) => [one.id, one] as const));
  return schedules.filter((one) => {
    if (firsts.get(one.id) === one) return true;
    const why = `${one.id}: another schedule of the module has this id: give each one its own`;
    list.push({
      kind: "schedule",
      name: one.id,
      error: new ContractFault("schedule.invalid", why),
    });
    return false;
  });
}

const isPlanned = (one: unknown): one is Workflow<Schema> =>
  typeof one === "object" && one !== null && planOf in one;

const nameOf = (one: unknown): string => String((one as { readonly name?: unknown }).name);
