import { pathOf } from "../api/api.ts";
import type { ListedTask, Task } from "../api/types.ts";
import { formatJson, shortId } from "../parts/format.ts";
import type { Action, ActionCall } from "./action.ts";

type Acted = Pick<ListedTask, "id" | "version" | "state"> & { readonly paused: unknown };
type WholeAct = "undo" | "cancel" | "pause" | "resume";

const whole: Readonly<Record<WholeAct, Pick<Action, "verb" | "explain" | "isDangerous">>> = {
  undo: {
    verb: "Undo",
    explain:
      "Completed steps are undone in reverse order, including steps whose outcome is unknown.",
    isDangerous: true,
  },
  cancel: {
    verb: "Cancel",
    explain:
      "The task is not wanted any more. Its completed steps are undone, and the history says that it was cancelled.",
    isDangerous: true,
  },
  pause: {
    verb: "Pause",
    explain: "No further step begins until the task is resumed. An attempt that runs goes on.",
    isDangerous: false,
  },
  resume: { verb: "Resume", explain: "Steps begin again.", isDangerous: false },
};

/** Acts on whole tasks, each as it was seen: one that has changed meanwhile is refused. */
export function wholeTaskAction(act: WholeAct, tasks: readonly Acted[]): Action {
  const [first] = tasks;
  const what =
    tasks.length === 1 && first !== undefined
      ? `task ${shortId(first.id)}`
      : `${tasks.length} tasks`;
  return {
    ...whole[act],
    title: `${whole[act].verb} ${what}`,
    calls: tasks.map(({ id, version }) => ({
      target: id,
      method: "POST",
      path: `${pathOf`/v1/tasks/${id}`}/${act}`,
      body: { version },
    })),
    command: ({ target }) => ["tasks", act, target],
    field: null,
  };
}

const stepCall = (
  task: Acted,
  act: string,
  body: Readonly<Record<string, unknown>>,
): ActionCall => ({
  target: task.id,
  method: "POST",
  path: `${pathOf`/v1/tasks/${task.id}`}/${act}`,
  body: { version: task.version, ...body },
});

/** Retries a step that failed for good, with another input where it is given. */
export const resubmitAction = (task: Acted, step: string): Action => ({
  verb: "Resubmit",
  title: `Resubmit ${step}`,
  explain: "The step that failed for good is attempted again, and the task goes on from there.",
  isDangerous: false,
  calls: [stepCall(task, "resubmit", { step })],
  command: ({ target }) => ["tasks", "resubmit", target, "--step", step],
  field: {
    name: "input",
    label: "Another input (JSON)",
    hint: "Leave it empty to use the input as it is.",
    isRequired: false,
    initial: "",
    option: "--input",
  },
});

/** Records what a person did instead of a failed step. */
export const resolveAction = (task: Acted, step: string, output: unknown): Action => ({
  verb: "Resolve",
  title: `Resolve ${step} by hand`,
  explain:
    "You did by other means what the step should do. The task goes on with the output that you give.",
  isDangerous: true,
  calls: [stepCall(task, "resolve", { step })],
  command: ({ target }) => ["tasks", "resolve", target, "--step", step],
  field: {
    name: "output",
    label: "What the step returned (JSON)",
    hint: "Later steps use it: it must keep to the contract of the step.",
    isRequired: false,
    initial: output === null || output === undefined ? "" : formatJson(output),
    option: "--result",
  },
});

/** Makes a step that waits for its next attempt due now. */
export const retryAction = (task: Acted, step: string): Action => ({
  verb: "Retry now",
  title: `Retry ${step} now`,
  explain: "The step does not wait for its next attempt: it becomes due now.",
  isDangerous: false,
  calls: [
    {
      target: task.id,
      method: "POST",
      path: pathOf`/v1/tasks/${task.id}/steps/${step}/retry`,
      body: { version: task.version },
    },
  ],
  command: null,
  field: null,
});

const hasEnded = ({ state }: Acted): boolean => state === "processed" || state === "compensated";

/** What can be done to a task as it stands. The service decides: this only hides what it would refuse. */
export function actionsOf(task: Task): readonly Action[] {
  const failed = task.steps.filter(({ processState }) => processState === "error");
  const delayed = task.steps.filter(
    ({ processState, notBefore }) => processState === "pending" && notBefore !== null,
  );
  const repairs = failed.flatMap((step) => [
    resubmitAction(task, step.name),
    resolveAction(task, step.name, step.output),
  ]);
  const retries = delayed.map(({ name }) => retryAction(task, name));
  if (hasEnded(task)) return [];
  const pause = wholeTaskAction(task.paused === null ? "pause" : "resume", [task]);
  const undo =
    task.state === "compensating"
      ? []
      : [wholeTaskAction("undo", [task]), wholeTaskAction("cancel", [task])];
  return [...repairs, ...retries, pause, ...undo];
}
