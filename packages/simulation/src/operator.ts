import { stepsOf } from "@holdfast/domain";
import type { Incident } from "@holdfast/state-store";
import { nameOf } from "./facts.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { StoredTask } from "./memory-task.ts";
import type { World } from "./world.ts";

/** Milliseconds between two looks. */
const rest = 500;

/**
 * Once everything is healed, somebody looks after tasks that halted or were paused: has their failed
 * step tried again, once, and undone if that did not help.
 */
export function callOperator(world: World, store: MemoryStore): void {
  const resubmitted = new Set<string>();
  const tend = ({ task }: StoredTask): readonly Incident[] => {
    const { taskId, goal, processState, paused } = task;
    if (paused) return [{ taskId, event: { kind: "resumed" } }];
    if (processState !== "error") return [];
    const failed = stepsOf(task).filter(
      (step) => step.processState === "error" && (step.plan.kind === "call") === (goal === "do"),
    );
    if (goal === "do" && failed.some(({ plan }) => resubmitted.has(`${taskId} ${plan.name}`))) {
      return [{ taskId, event: { kind: "undoRequested", code: "operator.undo" } }];
    }
    return failed.map(({ plan, attempt }) => {
      resubmitted.add(`${taskId} ${plan.name}`);
      const step = plan.name;
      return { taskId, event: { kind: "resubmitted", step, attempt, inputChanged: false } };
    });
  };

  const look = (): void => {
    const incidents = [...store.tasks.values()].flatMap(tend);
    for (const { taskId, event } of incidents) {
      world.tell("operator", () => `${event.kind}: ${nameOf(taskId)}`);
    }
    if (incidents.length > 0) store.applyIncidents(incidents, { actor: "operator" });
    world.timeline.aside(rest, look);
  };
  world.onHeal(look);
}
