import { asksAgent, type Step, type Task } from "@holdfast/domain";
import type { ReportedTaskEvent } from "@holdfast/state-store";
import type { MemoryStore } from "@holdfast/testing/simulator";
import { editChanges, editEvents, editTasks } from "./edit-fold.ts";
import type { Mutation } from "./mutation.ts";

/** Waits that are built wrongly, by name. The simulation must find each of them. */
export const waitMutants: Readonly<Record<string, Mutation>> = {
  "a wait ends before its time": {
    store: (store) => firingToo(store, ({ processState }) => processState === "awaiting"),
    domain: editTasks((task, { kind }) =>
      kind === "waitEnded" ? withSteps(task, (step) => ended(step)) : task,
    ),
  },
  "a wait ends twice": {
    store: (store) =>
      firingToo(
        store,
        ({ plan, processState }) => !asksAgent(plan) && processState === "processed",
      ),
    domain: editTasks((task, event) =>
      event.kind === "waitEnded"
        ? withSteps(task, (step) =>
            step.plan.name === event.step &&
            !asksAgent(step.plan) &&
            step.processState === "processed"
              ? ({ ...step, processState: "awaiting", notBefore: 0 } as Step)
              : step,
          )
        : task,
    ),
  },
  "a wait outlives the undo of its task": {
    domain: editChanges((change) =>
      change.action === "cancel" && change.from === "awaiting"
        ? { ...change, step: { ...change.step, processState: "awaiting", notBefore: 0 } as Step }
        : change,
    ),
  },
  "the end of a wait is computed anew": {
    domain: editTasks((task) =>
      withSteps(task, (step) =>
        step.processState === "awaiting" && step.notBefore !== null
          ? { ...step, notBefore: step.notBefore + 40 }
          : step,
      ),
    ),
  },
  "a wait is measured by another clock than the store's": {
    domain: editChanges((change) =>
      change.action === "open" && change.step.processState === "awaiting"
        ? { ...change, step: { ...change.step, notBefore: (change.step.notBefore ?? 0) - 120 } }
        : change,
    ),
  },
  "a step that waits is due for an Agent": {
    domain: editChanges((change) =>
      change.action === "open"
        ? { ...change, action: "plan", step: { ...change.step, processState: "pending" } as Step }
        : change,
    ),
  },
  "what waits has not begun": {
    domain: (domain) => ({
      ...domain,
      foldEvents(task, reported, options) {
        const folded = domain.foldEvents(task, reported, options);
        const hasAttempt = [...folded.task.steps.values()].some(({ attempt }) => attempt > 0);
        return hasAttempt || folded.task.processState !== "processing"
          ? folded
          : { ...folded, task: { ...folded.task, processState: "pending" } };
      },
    }),
  },
  "a wait is left behind when its step has ended": {
    store: (store) => ({
      ...store,
      fireWaits(round) {
        const found = store.fireWaits(round);
        for (const { taskId, step } of found.fired) {
          store.tasks.get(taskId)?.waits.set(step, Number.POSITIVE_INFINITY);
        }
        return found;
      },
    }),
  },
  "a deadline is forgotten": {
    store: (store) => ({
      ...store,
      fireWaits: (round) => ({ ...store.fireWaits({ ...round, most: 0 }), nextIn: null }),
    }),
  },
  "an operator cannot end a wait": {
    domain: editEvents((event) =>
      event.kind === "waitEnded" ? { ...event, by: "deadline" } : event,
    ),
  },
  "a wait that an operator ended goes on": {
    domain: editChanges((change, event) =>
      event.kind === "waitEnded" && event.by === "operator" && change.action === "fire"
        ? { ...change, step: { ...change.step, processState: "awaiting", notBefore: 0 } as Step }
        : change,
    ),
  },
  "a step does not wait for the wait before it": {
    domain: (domain) => ({
      ...domain,
      planWorkflow(definition) {
        const plan = domain.planWorkflow(definition);
        const waits = [...plan.steps.values()].filter((step) => !asksAgent(step));
        const names = new Set(waits.map(({ name }) => name));
        return {
          ...plan,
          steps: new Map(
            [...plan.steps].map(([name, step]) => [
              name,
              { ...step, after: step.after.filter((before) => !names.has(before)) },
            ]),
          ),
        };
      },
    }),
  },
};

const withSteps = (task: Task, edit: (step: Step) => Step): Task => ({
  ...task,
  steps: new Map([...task.steps].map(([name, step]) => [name, edit(step)])),
});

const ended = (step: Step): Step =>
  step.processState === "awaiting" ? { ...step, notBefore: 0 } : step;

/** A store that takes further steps for waits whose time has come. */
function firingToo(store: MemoryStore, isMeant: (step: Step) => boolean) {
  return {
    ...store,
    fireWaits(round: Parameters<MemoryStore["fireWaits"]>[0]) {
      const events = [...store.tasks.values()].flatMap(({ task }) =>
        [...task.steps.values()].filter(isMeant).map(
          ({ plan }): ReportedTaskEvent => ({
            taskId: task.taskId,
            event: { kind: "waitEnded", step: plan.name, by: "deadline" },
          }),
        ),
      );
      if (events.length > 0) store.applyEvents(events, { actor: round.actor });
      return store.fireWaits(round);
    },
  };
}
