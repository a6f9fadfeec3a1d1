import type { WorkflowDefinition } from "@holdfast/domain";
import type { TaskRecord } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { taskResource } from "./task-resource.ts";

const task = {
  taskId: "t-1",
  processState: "processed",
  input: { to: "ann" },
  steps: [{ name: "send", output: { id: 7 }, lockedBy: null }],
} as unknown as TaskRecord;

const resultOf = (output: WorkflowDefinition["output"]) => {
  const definition = { steps: [{ name: "send" }], output } as unknown as WorkflowDefinition;
  const found = { task, bytes: 100, isWhole: true } as Parameters<typeof taskResource>[0];
  return taskResource(found, definition).resource.result;
};

test("a value that is missing from a result takes nothing else of it away", () => {
  const note = { $ref: "/input/note" };
  const output = { note, id: { $ref: "/steps/send/id" }, list: ["news", note] };
  expect(resultOf(output)).toEqual({ id: 7, list: ["news", null] });
  expect(resultOf(note)).toBeNull();
});
