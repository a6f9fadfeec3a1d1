import { type AgentPlan, asksAgent, type StepPlan } from "@holdfast/domain";
import { editEvents } from "./edit-fold.ts";
import type { Mutation } from "./mutation.ts";

/** Pools that give a step to the wrong Agent, by name. The simulation must find each of them. */
export const poolMutants: Readonly<Record<string, Mutation>> = {
  "a step of a pool is moved after an effect": {
    domain: withPlans((plan) => (plan.kind === "call" ? sharing(plan) : plan)),
  },
  "a step of a pool is undone by any of its Agents": {
    domain: withPlans((plan) => (plan.kind === "undo" ? sharing(plan) : plan)),
  },
  "a request that came back from a queue had no effect": {
    domain: editEvents((event) =>
      event.kind === "neverStarted" ? { ...event, unsent: true } : event,
    ),
  },
  "a pool's Agents answer for one another": {
    domain: editEvents((event, task) => {
      if (!("agent" in event) || !("step" in event)) return event;
      const step = task.steps.get(event.step);
      const pool = step !== undefined && asksAgent(step.plan) ? step.plan.pool : null;
      const isMember = pool?.agents.includes(event.agent ?? "") === true;
      return isMember && step !== undefined && step.agent !== null
        ? { ...event, agent: step.agent }
        : event;
    }),
  },
};

/** The plan as if its Agents shared keys. */
const sharing = (plan: AgentPlan): AgentPlan => ({
  ...plan,
  pool: plan.pool && { ...plan.pool, sharesKeys: true },
});

function withPlans(edit: (plan: StepPlan) => StepPlan): NonNullable<Mutation["domain"]> {
  return (domain) => ({
    ...domain,
    planWorkflow(definition) {
      const workflow = domain.planWorkflow(definition);
      const steps = [...workflow.steps].map(([name, plan]) => [name, edit(plan)] as const);
      return { ...workflow, steps: new Map(steps) };
    },
  });
}
