import { type Condition, type Json, refsOf, refsOfCondition, stepOfRef } from "@holdfast/domain";

/** What of a step decides when it can be done. */
export interface OrderedStep {
  readonly name: string;
  readonly after: readonly string[];
  /** All that it is given. */
  readonly templates: readonly Json[];
  readonly onlyIf: Condition | null;
}

export interface Problem {
  readonly step: string | null;
  readonly what: string;
}

/** Whether every step can be reached, and everything it refers to is there by then. */
export function checkOrder(steps: readonly OrderedStep[], output: Json): readonly Problem[] {
  const byName = new Map(steps.map((step) => [step.name, step]));
  return [
    ...steps.flatMap((step) =>
      stepProblems(step, byName).map((what) => ({ step: step.name, what })),
    ),
    ...stepsIn(refsOf(output))
      .filter((name) => !byName.has(name))
      .map((name) => ({
        step: null,
        what: `output refers to step "${name}", which does not exist`,
      })),
  ];
}

function stepProblems(step: OrderedStep, byName: ReadonlyMap<string, OrderedStep>) {
  const before = stepsBefore(step, byName);
  const refs = [...refsOf(step.templates), ...(step.onlyIf ? refsOfCondition(step.onlyIf) : [])];
  const why = (name: string) => (byName.has(name) ? "is not before it" : "does not exist");
  return [
    ...(byName.get(step.name) === step
      ? []
      : ["another step has the same name: give each step a name of its own"]),
    ...step.after
      .filter((name) => !byName.has(name))
      .map((name) => `comes after step "${name}", which does not exist`),
    ...(before.has(step.name) ? ["comes after itself, directly or through others"] : []),
    ...stepsIn(refs)
      .filter((name) => !before.has(name) || name === step.name)
      .map((name) => `refers to step "${name}", which ${why(name)}`),
  ];
}

/**
 * All that must be done before, directly or through others. Holds the step itself if it is in a
 * cycle.
 */
function stepsBefore({ after }: OrderedStep, byName: ReadonlyMap<string, OrderedStep>) {
  const found = new Set<string>();
  const pending = [...after];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    pending.push(...(byName.get(name)?.after ?? []));
  }
  return found;
}

const stepsIn = (refs: readonly string[]): readonly string[] => [
  ...new Set(refs.map(stepOfRef).filter((name) => name !== null)),
];
