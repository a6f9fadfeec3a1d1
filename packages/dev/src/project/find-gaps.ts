import { agentsOfStep, callsOf, operationsOfStep, type WorkflowDefinition } from "@holdfast/domain";

/** An Agent that runs, or has announced itself; null: it does not say which operations it has. */
export type KnownOperations = ReadonlyMap<string, readonly string[] | null>;

/** Which steps of a workflow no Agent can do, each in one sentence. */
export function findGaps(
  definition: WorkflowDefinition,
  known: KnownOperations,
): readonly string[] {
  const gaps = new Set<string>();
  for (const step of callsOf(definition)) {
    const { name, agent } = step;
    const agents = agentsOfStep(step);
    const there = agents.filter((one) => known.has(one));
    if (there.length === 0) {
      gaps.add(
        `No Agent ${agents.join(" or ")} for the step ${name}: add agents/${agent}.ts, or start it with the AMQP URL.`,
      );
    }
    for (const one of there) {
      const operations = known.get(one) ?? null;
      if (operations === null) continue;
      for (const needed of operationsOfStep(step)) {
        if (operations.includes(needed)) continue;
        gaps.add(
          `The Agent ${one} has no operation ${needed}, which the step ${name} needs. It has: ${operations.join(", ")}.`,
        );
      }
    }
  }
  return [...gaps];
}
