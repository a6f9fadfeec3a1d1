import type { NewTask } from "@holdfast/state-store";

/** A task for the state store, with nothing but its workflow and its input. */
export const newTask = ({ workflow, input }: Pick<NewTask, "workflow" | "input">): NewTask => ({
  tenant: "default",
  workflow,
  input,
  priority: "normal",
  fairness: null,
  replyTo: null,
  correlationId: null,
  idempotency: null,
});
