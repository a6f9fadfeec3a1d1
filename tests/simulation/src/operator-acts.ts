import { isFinished, type Step, stepsOf } from "@holdfast/domain";
import {
  type AtOnce,
  epoch,
  type MemoryStore,
  type SimulatedStore,
  type StoredTask,
} from "@holdfast/testing/simulator";
import type { Facts } from "./facts.ts";
import type { OperatorJudge } from "./judge-operators.ts";
import { pauseTargets } from "./operator-pauses.ts";
import { operatorSteps } from "./operator-steps.ts";
import { applyWishes } from "./operator-wishes.ts";
import type { RemoteService } from "./remote.ts";
import type { World } from "./world.ts";

interface Options {
  readonly memory: MemoryStore;
  /** The store as the mutant that is tried has it. */
  readonly store: AtOnce<SimulatedStore>;
  readonly service: RemoteService;
  readonly judge: OperatorJudge;
  readonly facts: Facts;
}

/** What an operator does, each checked against the version that he has seen. */
export type OperatorActs = ReturnType<typeof operatorActs>;

/** What operators can do to tasks, Agents and workflows, with the judge told of what they were answered. */
export function operatorActs(world: World, { memory, store, service, judge, facts }: Options) {
  const apply = applyWishes(world, store);
  return {
    ...pauseTargets(world, { store, judge }),
    ...operatorSteps(world, { apply, service, facts }),
    pauseTask(stored: StoredTask): void {
      if (apply(stored, { event: { kind: "paused" } })) judge.taskPaused(stored.task.taskId);
    },
    resumeTask(stored: StoredTask): void {
      if (apply(stored, { event: { kind: "resumed" } })) judge.taskResumed(stored.task.taskId);
    },
    undo(stored: StoredTask): void {
      apply(stored, { event: { kind: "undoRequested", code: "operator.cancel" } });
    },
    unfinished: (): readonly StoredTask[] =>
      [...memory.tasks.values()].filter(({ task }) => !isFinished(task)),
    delayed: ({ task }: StoredTask, longerThan: number): Step | undefined =>
      stepsOf(task).find(
        (step) =>
          step.processState === "pending" &&
          step.notBefore > epoch + world.timeline.now + longerThan,
      ),
  };
}
