import { legalTaskTransitions, stepsOf, summarise, type Task } from "@holdfast/domain";
import { nameOf, type TaskFacts } from "./facts.ts";
import type { World } from "./world.ts";

/** Notes the steps that a task has got: the undos appear when the undo begins. */
export function noteSteps({ accuse }: World, facts: TaskFacts, task: Task): void {
  for (const { plan, processState, attempt, failureCount, mayHaveEffect } of stepsOf(task)) {
    if (facts.steps.has(plan.name)) continue;
    const definition = facts.definition.steps.find(
      ({ name }) => name === (plan.undoes ?? plan.name),
    );
    if (definition === undefined) {
      accuse("a task has the steps of its workflow", () => nameOf(task.taskId, plan.name));
      continue;
    }
    const state = plan.undoes === null ? processState : "waiting";
    const counters = {
      agent: null,
      attempt,
      failureCount,
      mayHaveEffect,
      net: 0,
      keys: new Set<string>(),
    };
    facts.steps.set(plan.name, { definition, state, ...counters });
  }
}

/** Holds a task against the history of its steps and the rules, and notes where it stands. */
export function judgeTask(world: World, facts: TaskFacts, task: Task): void {
  const { accuse } = world;
  const { processState: from } = facts;
  const to = task.processState;
  const witness = () => `${nameOf(task.taskId)}: ${from} -> ${to}`;
  for (const { plan, processState } of stepsOf(task)) {
    const known = facts.steps.get(plan.name);
    if (known === undefined || known.state === processState) continue;
    const step = `${nameOf(task.taskId, plan.name)} is ${processState}`;
    accuse("every move is in the history", () => `${step}, by its history ${known.state}`);
    known.state = processState;
  }
  if (to !== summarise(task.goal, task.steps.values())) {
    accuse("the state of a task follows from its steps", witness);
  }
  if (from !== to && !legalTaskTransitions[from].includes(to)) {
    accuse("a task goes only legal ways", witness);
  }
  if (from !== to) world.tell("store", witness);
  facts.processState = to;
  facts.goal = task.goal;
}
