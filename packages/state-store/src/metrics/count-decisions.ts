import { asksAgent, type DecidedTask } from "@holdfast/domain";
import type { Metrics } from "@holdfast/runtime";
import { storeMetrics } from "./store-metrics.ts";

/** Counts what was committed. */
export interface DecisionCounts {
  /** Tasks that were decided about and changed. */
  readonly decided: (changed: readonly DecidedTask[]) => void;
  readonly submitted: (
    tasks: readonly { readonly workflow: string }[],
    answers: readonly { readonly kind: string }[],
  ) => void;
  readonly deadLetters: (queues: readonly string[]) => void;
}

const endStates: readonly string[] = storeMetrics.ended.labels.state;
const actions: readonly string[] = storeMetrics.moved.labels.action;

export function decisionCounts(metrics: Metrics): DecisionCounts {
  const ended = metrics.counter(storeMetrics.ended);
  const undo = metrics.counter(storeMetrics.undo);
  const moved = metrics.counter(storeMetrics.moved);
  const submittedTasks = metrics.counter(storeMetrics.submitted);
  const batch = metrics.histogram(storeMetrics.submissionBatch);
  const deadLetters = metrics.counter(storeMetrics.deadLetters);
  return {
    decided(changed) {
      for (const { before, after, changes } of changed) {
        const { processState } = after;
        const hasMoved = processState !== before.task.processState;
        if (hasMoved && endStates.includes(processState)) {
          ended(1, after.workflow.name, processState);
        }
        if (after.goal !== before.task.goal) undo(1, after.workflow.name);
        for (const { action, step } of changes) {
          if (actions.includes(action) && asksAgent(step.plan)) {
            moved(1, step.agent ?? step.plan.agent, action);
          }
        }
      }
    },
    submitted(tasks, answers) {
      batch(tasks.length);
      answers.forEach(({ kind }, index) => {
        if (kind === "created") submittedTasks(1, tasks[index]?.workflow ?? "");
      });
    },
    deadLetters(queues) {
      for (const queue of queues) deadLetters(1, queue);
    },
  };
}
