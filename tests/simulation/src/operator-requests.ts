import type { ReportedTaskEvent } from "@holdfast/state-store";
import type { AtOnce, SimulatedStore, StoredTask } from "@holdfast/testing/simulator";
import { nameOf } from "./facts.ts";
import type { World } from "./world.ts";

/**
 * Applies a request to the version of the task that the operator has seen; whether it was granted.
 */
export type ApplyRequest = (
  stored: StoredTask,
  reportedEvent: Omit<ReportedTaskEvent, "taskId">,
) => boolean;

export const applyRequests =
  (world: World, store: AtOnce<SimulatedStore>): ApplyRequest =>
  ({ task, version }, reportedEvent) => {
    const { taskId } = task;
    world.tell("operator", () => `${reportedEvent.event.kind}: ${nameOf(taskId)}`);
    const request = { ...reportedEvent, taskId, expectedVersion: version };
    return store.applyEvents([request], { actor: "operator" }).outcomes[0]?.applied === true;
  };
