import type { ReportedTaskEvent } from "@holdfast/state-store";
import type { AtOnce, SimulatedStore, StoredTask } from "@holdfast/testing/simulator";
import { nameOf } from "./facts.ts";
import type { World } from "./world.ts";

/** Applies a wish to the version of the task that the operator has seen; whether it was granted. */
export type ApplyWish = (
  stored: StoredTask,
  reportedEvent: Omit<ReportedTaskEvent, "taskId">,
) => boolean;

export const applyWishes =
  (world: World, store: AtOnce<SimulatedStore>): ApplyWish =>
  ({ task, version }, reportedEvent) => {
    const { taskId } = task;
    world.tell("operator", () => `${reportedEvent.event.kind}: ${nameOf(taskId)}`);
    const wish = { ...reportedEvent, taskId, expectedVersion: version };
    return store.applyEvents([wish], { actor: "operator" }).outcomes[0]?.applied === true;
  };
