import { describe, expect, test } from "@jest/globals";
import { definitionOf, newTask } from "../test/fixtures.ts";
import { claimed, declined, failed, seen } from "../test/task-events.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import type { TaskEvent } from "./task-event.ts";

describe("the idempotency key", () => {
  const halting = definitionOf([{ name: "a", onFailure: "halt" }]);
  const keyAfter = (failure: TaskEvent, inputChanged: boolean) => {
    const task = seen(newTask(halting), claimed("a"), failure, {
      kind: "resubmitted",
      step: "a",
      attempt: 1,
      inputChanged,
    });
    const { plan, keyGeneration } = task.steps.get("a")!;
    return idempotencyKey("t", plan, keyGeneration);
  };

  test.each([
    ["an unchanged input", declined("a"), false, "t:a:do"],
    ["a corrected input, and certainly no effect", declined("a"), true, "t:a:do:2"],
    [
      "a corrected input, but perhaps an effect",
      failed("a", 1, { transient: false }),
      true,
      "t:a:do",
    ],
  ])("after a resubmit with %s", (_, failure, inputChanged, key) => {
    expect(keyAfter(failure, inputChanged)).toBe(key);
  });
});
