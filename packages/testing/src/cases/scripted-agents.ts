import { type HostedAgent, host, type StepContext } from "@holdfast/agent";
import type { WorkflowDefinition } from "@holdfast/domain";
import {
  type Agent,
  contract,
  type Operation,
  type Operations,
  type Schema,
} from "@holdfast/workflow";
import type { Script } from "./script.ts";

/** A schema that takes anything: what a case may say was held to the contracts of the definition before. */
export const anything: Schema<never> = {
  "~standard": {
    version: 1,
    vendor: "holdfast",
    validate: (value: unknown) => ({ value: value as never }),
    jsonSchema: { input: () => ({}), output: () => ({}) },
  },
};

/** The Agents of a workflow, made of its definition: their handlers do what the script says. */
export function scriptedAgents(
  { steps }: WorkflowDefinition,
  script: Pick<Script, "perform">,
): readonly HostedAgent[] {
  const perform = (_: unknown, context: StepContext) => script.perform(context.step, context);
  const named = steps.flatMap((step) =>
    (step.agents ?? [step.agent]).map((agent) => ({ ...step, agent })),
  );
  const byAgent = Map.groupBy(named, ({ agent }) => agent);
  return [...byAgent].map(([name, mine]) => {
    const operations: Record<string, Operation> = {};
    const handlers: Record<string, (input: unknown, context: StepContext) => Promise<unknown>> = {};
    for (const { operation, undo } of mine) {
      operations[operation] ??= { input: anything, output: anything };
      handlers[operation] = perform;
      if (undo === null) continue;
      handlers[undo.operation] = perform;
      const isNamed = Object.values(operations).some((one) => one.undo === undo.operation);
      if (isNamed) continue;
      // One operation may be undone in two ways by two steps: each way needs an operation that names it.
      const free =
        operations[operation].undo === undefined ? operation : `undone by ${undo.operation}`;
      operations[free] = { input: anything, output: anything, undo: undo.operation };
      handlers[free] ??= perform;
    }
    const declared = { [contract]: { name, operations } } as unknown as Agent<Operations>;
    return host(declared, handlers as never);
  });
}
