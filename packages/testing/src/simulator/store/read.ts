import {
  agentOf,
  agentsOfStep,
  bandOf,
  bandOfStep,
  callsOf,
  poolName,
  stepKinds,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import { processingSteps, type StoreState } from "./store-state.ts";

type Reading = Pick<
  AtOnce<SimulatedStore>,
  | "countStepsInFlight"
  | "findLanes"
  | "findUnavailableAgents"
  | "findWorkflow"
  | "loadValues"
  | "loadCalls"
>;

const urgent = bandOf("urgent");

const lanesOf = (definition: WorkflowDefinition): readonly string[] =>
  callsOf(definition)
    .map(agentsOfStep)
    .flatMap((agents) => [...agents, poolName(agents)]);

/** Reads without a lock. */
export function reading(state: StoreState): Reading {
  const { tasks, workflows } = state;
  return {
    countStepsInFlight: ({ lockedBy }) =>
      [...Map.groupBy(processingSteps(state), ([, step]) => agentOf(step))].map(
        ([lane, steps]) => ({
          lane,
          inFlight: steps.length,
          own: steps.filter(([, step]) => step.lockedBy === lockedBy).length,
          urgent: steps.filter(([stored, step]) => bandOfStep(step, stored) === urgent).length,
        }),
      ),

    findLanes: () => [
      ...new Set([...workflows.values()].flatMap(({ definition }) => lanesOf(definition))),
    ],

    // Heartbeats are not simulated.
    findUnavailableAgents: () => state.pauses.pausedAgents(),

    findWorkflow: (name) => workflows.get(name) ?? null,

    loadValues({ refs }) {
      const byTask = Map.groupBy(refs, ({ taskId }) => taskId);
      return new Map(
        [...byTask].map(([taskId, asked]) => {
          const stored = tasks.get(taskId);
          const names = asked.flatMap(({ name }) => (name === null ? [] : [name]));
          const corrected = names.filter((name) => stored?.correctedInputs.has(name));
          return [
            taskId,
            {
              input: asked.some(({ name }) => name === null) ? (stored?.input ?? null) : null,
              outputs: new Map(names.map((name) => [name, stored?.outputs.get(name) ?? null])),
              problem: null,
              leftOut: null,
              correctedInputs: new Map(
                corrected.map((name) => [name, stored?.correctedInputs.get(name) ?? null]),
              ),
            },
          ];
        }),
      );
    },

    loadCalls: ({ taskIds }) =>
      taskIds.flatMap((taskId) =>
        [...(tasks.get(taskId)?.task.steps.values() ?? [])].flatMap(
          ({ plan, processState, keyGeneration, attempt }) =>
            stepKinds[plan.kind].goal === "do"
              ? [{ taskId, name: plan.name, processState, keyGeneration, attempt }]
              : [],
        ),
      ),
  };
}
