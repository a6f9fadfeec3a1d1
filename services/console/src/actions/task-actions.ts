import type { WorkflowDefinition } from "@holdfast/domain";
import { call } from "../api/call.ts";
import type { ListedTask, Step, Task } from "../api/types.ts";
import { operationKeys } from "../bulk/operation-keys.ts";
import { formatJson, shortId } from "../parts/format.ts";
import type { Action } from "./action.ts";

type Acted = Pick<ListedTask, "id" | "version" | "state"> & { readonly paused: unknown };
/** What can be done to a task as a whole. */
export const wholeActs = ["cancel", "pause", "resume"] as const;
type WholeAct = (typeof wholeActs)[number];

const whole: Readonly<Record<WholeAct, Pick<Action, "verb" | "explain" | "isDangerous">>> = {
  cancel: {
    verb: "Cancel",
    explain:
      "Nothing more begins. Completed steps are undone in reverse order, including steps whose outcome is unknown.",
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
      request: ({ actor, reason }) =>
        call("post", `/v1/tasks/{id}/${act}`, {
          path: { id },
          headers: seen(version),
          body: { actor, reason },
        }),
    })),
    command: ({ target }) => ["tasks", act, target],
    field: null,
  };
}

/** Names the version of the task as it was seen: one that has changed meanwhile is refused. */
const seen = (version: number) => ({ "if-match": `"${version}"` });

/** Retries a step that failed for good, with another input where it is given. */
const resubmitAction = (task: Acted, step: string): Action => ({
  verb: "Resubmit",
  title: `Resubmit ${step}`,
  explain: "The step that failed for good is attempted again, and the task goes on from there.",
  isDangerous: false,
  calls: [
    {
      target: task.id,
      request: ({ actor, reason, field: input, patch }) =>
        call("post", "/v1/tasks/{id}/resubmit", {
          path: { id: task.id },
          headers: seen(task.version),
          body: {
            step,
            ...(input === undefined ? {} : { input }),
            ...(patch === undefined ? {} : { patch: [...patch] }),
            actor,
            reason,
          },
        }),
    },
  ],
  command: ({ target }) => ["tasks", "resubmit", target, "--step", step],
  field: {
    label: "Another input (JSON), or changes of it, one a line",
    hint: "iban=DE02… sets a text, amount:=5 other JSON, -note removes. Leave it empty to use the input as it is.",
    takesChanges: true,
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
  calls: [
    {
      target: task.id,
      request: ({ actor, reason, field }) =>
        call("post", "/v1/tasks/{id}/resolve", {
          path: { id: task.id },
          headers: seen(task.version),
          body: { step, ...(field === undefined ? {} : { output: field }), actor, reason },
        }),
    },
  ],
  command: ({ target }) => ["tasks", "resolve", target, "--step", step],
  field: {
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
      request: ({ actor, reason }) =>
        call("post", "/v1/tasks/{id}/steps/{step}/retry", {
          path: { id: task.id, step },
          headers: seen(task.version),
          body: { actor, reason },
        }),
    },
  ],
  command: null,
  field: null,
});

/** Ends the wait of a step before its time. */
const fireAction = (task: Acted, step: string): Action => ({
  verb: "End wait",
  title: `End the wait of ${step}`,
  explain: "The step waits no longer: it is done now, and the steps after it begin.",
  isDangerous: false,
  calls: [
    {
      target: task.id,
      request: ({ actor, reason }) =>
        call("post", "/v1/tasks/{id}/steps/{step}/fire", {
          path: { id: task.id, step },
          headers: seen(task.version),
          body: { actor, reason },
        }),
    },
  ],
  command: ({ target }) => ["tasks", "fire", target, step],
  field: null,
});

/**
 * Sends a signal for which a step waits. The same payload, sent again from the same dialog or by
 * the line that it shows, is the same signal.
 */
function signalAction(task: Acted, signal: string, schema: unknown): Action {
  const keyOf = operationKeys();
  return {
    verb: "Send signal",
    title: `Send the signal ${signal}`,
    explain:
      "The step that waits for it goes on with what it carries. It is kept with the task, and cannot be taken back.",
    isDangerous: false,
    calls: [
      {
        target: task.id,
        request: ({ actor, field: payload }) =>
          call("post", "/v1/tasks/{id}/signals/{name}", {
            path: { id: task.id, name: signal },
            headers: { "idempotency-key": keyOf({ payload }) },
            body: { payload, actor },
          }),
      },
    ],
    command: ({ target }, { field: payload }) => [
      "tasks",
      "signal",
      target,
      signal,
      "--id",
      keyOf({ payload }),
    ],
    field: {
      label: "What the signal carries (JSON)",
      hint: "Its workflow says which form that has.",
      isRequired: true,
      initial: "{}",
      option: "--payload",
      ...(schema === undefined ? {} : { schema }),
    },
    hasReason: false,
  };
}

/** The part of a workflow that says for what its steps wait. */
type Waits = Pick<WorkflowDefinition, "signals" | "steps">;

/** Why no operator can end the wait of a step; null: one can. */
function needsMore(step: Step, workflow: Waits | null): string | null {
  if (step.awaiting?.audience != null) {
    return `It is for ${step.awaiting.audience} to decide: see Approvals, or cancel the task.`;
  }
  const defined = workflow?.steps.find(({ name }) => name === step.name);
  return defined !== undefined && "onDeadline" in defined && defined.onDeadline === "fail"
    ? "Later steps need what the signal carries: send it, or cancel the task."
    : null;
}

/** Why no operator can resolve a step by hand; null: one can, as far as is known. */
function needsDecision(step: Step | null, workflow: Waits | null): string | null {
  const defined = workflow?.steps.find(({ name }) => name === step?.name);
  return defined !== undefined && "audience" in defined
    ? "No operator decides in the place of its audience."
    : null;
}

/** A button: what it does, or why it does nothing now. */
export interface Offer {
  readonly verb: string;
  readonly action: Action | null;
  /** Why it does not apply; null when it does. */
  readonly refusal: string | null;
}

const ended = (state: Task["state"]): string =>
  `The task has ended (${state}): nothing more can be done to it.`;

/**
 * All that can be done to a task, and why the rest cannot. The service decides: this spares a
 * refusal. `workflow` is null until it is known.
 */
export function offersOf(
  task: Task,
  selected: string | null,
  workflow: Waits | null = null,
): readonly Offer[] {
  const hasEnded = task.state === "processed" || task.state === "undone";
  const offer = (verb: string, refusal: string | null, make: () => Action | null): Offer =>
    hasEnded
      ? { verb, action: null, refusal: ended(task.state) }
      : { verb, action: refusal === null ? make() : null, refusal };
  const failed = chosen(task, selected, ({ processState }) => processState === "error");
  const delayed = chosen(task, selected, isDelayed);
  const awaiting = chosen(task, selected, ({ processState }) => processState === "awaiting");
  const signalled = chosen(task, selected, ({ awaiting: on }) => (on?.signal ?? null) !== null);
  const signal = signalled?.awaiting?.signal ?? null;
  const noFailure = failed === null ? "No step of the task has failed for good." : null;
  const noDelay =
    delayed === null ? "No step waits for its next attempt." : pausedRefusal(task.paused);
  const isUndone = task.goal === "undo" ? "The task is being undone already." : null;
  const pause = task.paused === null ? "pause" : "resume";
  return [
    // Few workflows have such steps: the others are spared a button that never does anything.
    ...(signal === null
      ? []
      : [
          offer("Send signal", null, () => signalAction(task, signal, workflow?.signals?.[signal])),
        ]),
    ...(awaiting === null
      ? []
      : [offer("End wait", needsMore(awaiting, workflow), () => fireAction(task, awaiting.name))]),
    offer("Retry now", noDelay, () => delayed && retryAction(task, delayed.name)),
    offer("Resubmit", noFailure, () => failed && resubmitAction(task, failed.name)),
    offer(
      "Resolve",
      noFailure ?? needsDecision(failed, workflow),
      () => failed && resolveAction(task, failed.name, failed.output),
    ),
    offer(whole[pause].verb, null, () => wholeTaskAction(pause, [task])),
    offer("Cancel", isUndone, () => wholeTaskAction("cancel", [task])),
  ];
}

/** The selected step if something applies to it, or else the first to which it does. */
function chosen(
  task: Task,
  selected: string | null,
  applies: (step: Step) => boolean,
): Step | null {
  const steps = task.steps.filter(applies);
  return steps.find(({ name }) => name === selected) ?? steps[0] ?? null;
}

const isDelayed = ({ processState, notBefore }: Step): boolean =>
  processState === "pending" && notBefore !== null;

const pausedRefusal = (paused: Task["paused"]): string | null =>
  paused === null ? null : "The task is paused: resume it first.";
