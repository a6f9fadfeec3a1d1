import type { HostedAgent } from "@holdfast/agent";
import { undoNameOf, type WorkflowDefinition } from "@holdfast/domain";
import type { InjectedFault } from "./faults.ts";

interface Options {
  readonly agents: readonly HostedAgent[];
  readonly faults: readonly InjectedFault[];
}

/** Throws when an Agent of the workflow is missing, or a fault names something that is not there. */
export function checkTest(definition: WorkflowDefinition, { agents, faults }: Options): void {
  const problems = [...missingAgents(definition, agents), ...misnamed(definition, agents, faults)];
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

const missingAgents = (
  { name, steps }: WorkflowDefinition,
  agents: readonly HostedAgent[],
): readonly string[] =>
  [...new Set(steps.map(({ agent }) => agent))]
    .filter((wanted) => !agents.some((agent) => agent.name === wanted))
    .map((wanted) => `${name} calls the Agent ${wanted}: add host(${wanted}, …) to the Agents`);

function misnamed(
  { name, steps }: WorkflowDefinition,
  agents: readonly HostedAgent[],
  faults: readonly InjectedFault[],
): readonly string[] {
  const known = steps.flatMap((step) =>
    step.undo === null ? [step.name] : [step.name, undoNameOf(step.name)],
  );
  return faults.flatMap((fault) => [
    ...(fault.step === null || known.includes(fault.step)
      ? []
      : [`${fault.kind}: ${name} has no step ${fault.step}; its steps are ${known.join(", ")}`]),
    ...(fault.kind !== "kill" || agents.some((agent) => agent.name === fault.agent)
      ? []
      : [`kill: there is no Agent ${fault.agent}`]),
  ]);
}
