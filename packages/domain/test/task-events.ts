import { decide } from "../src/decide.ts";
import type { Step } from "../src/step.ts";
import type { Task } from "../src/task.ts";
import type { TaskEvent } from "../src/task-event.ts";
import { at, definitionOf, newTask, noon } from "./fixtures.ts";

export const abc = () => newTask(definitionOf([{ name: "a" }, { name: "b" }, { name: "c" }]));
export const diamond = () =>
  newTask(
    definitionOf([
      { name: "a" },
      { name: "b", after: ["a"] },
      { name: "c", after: ["a"] },
      { name: "d", after: ["b", "c"] },
    ]),
  );

export const seen = (task: Task, ...events: readonly TaskEvent[]): Task =>
  events.reduce((current, event) => {
    const decision = decide(current, event, at(noon));
    if (!decision.applied) throw new Error(`${event.kind} was rejected: ${decision.reason}`);
    return decision.task;
  }, task);

export const ref = (step: string, attempt = 1) => ({ step, attempt, token: `${step}-${attempt}` });
export const claimed = (step: string, attempt = 1): TaskEvent => ({
  kind: "claimed",
  step,
  by: "scheduler-1",
  token: ref(step, attempt).token,
});
export const completed = (step: string, attempt = 1): TaskEvent => ({
  kind: "completed",
  ...ref(step, attempt),
});
export const failed = (
  step: string,
  attempt = 1,
  changes: Partial<Extract<TaskEvent, { kind: "failed" }>> = {},
) =>
  ({
    kind: "failed",
    ...ref(step, attempt),
    code: "x.failed",
    transient: true,
    attempted: true,
    effect: "unknown",
    retryAfter: null,
    ...changes,
  }) as TaskEvent;
export const done = (step: string, attempt = 1) => [
  claimed(step, attempt),
  completed(step, attempt),
];
export const declined = (step: string, attempt = 1) =>
  failed(step, attempt, { transient: false, effect: "none" });
export const withStep = (task: Task, name: string, changes: object): Task => {
  const step = { ...task.steps.get(name)!, ...changes } as Step;
  return { ...task, steps: new Map(task.steps).set(name, step) };
};
export const states = (task: Task) =>
  Object.fromEntries([...task.steps].map(([name, { processState }]) => [name, processState]));
