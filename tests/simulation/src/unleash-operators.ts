import { type Json, type Step, stepsOf } from "@holdfast/domain";
import type { StoredTask } from "@holdfast/testing/simulator";
import type { FaultKind } from "./faults.ts";
import type { OperatorActs } from "./operator-acts.ts";
import type { Order } from "./scenario.ts";
import { agentNames } from "./workflows.ts";
import type { World } from "./world.ts";

/** Milliseconds between two rounds. */
const interval = 90;

/** The steps of a halted task that an operator may resubmit or resolve. */
export const failedOf = ({ task }: StoredTask): readonly Step[] =>
  stepsOf(task).filter(
    ({ processState, plan }) =>
      processState === "error" && (plan.kind === "undo") === (task.goal === "undo"),
  );

/** Operators pause some orders, and have those undone that were submitted by mistake. */
export function tendOrders(
  { timeline }: World,
  { orders, acts }: { readonly orders: readonly Order[]; readonly acts: OperatorActs },
): void {
  const actAt = (at: number | null, order: string, act: (stored: StoredTask) => void): void => {
    if (at === null) return;
    timeline.after(at, () => {
      acts
        .unfinished()
        .filter(({ input }) => isOrder(input, order))
        .forEach(act);
    });
  };
  for (const { name, withdrawnAt, pausedAt = null } of orders) {
    actAt(withdrawnAt, name, (stored) => acts.undo(stored));
    actAt(pausedAt, name, (stored) => (stored.task.paused ? undefined : acts.pauseTask(stored)));
  }
}

const isOrder = (input: Json, name: string): boolean =>
  typeof input === "object" && input !== null && "order" in input && input["order"] === name;

/** Operators act at any point of a task's life, until the healing. */
export function unleashOperators(world: World, acts: OperatorActs): void {
  const { random, timeline } = world;
  const on = (kind: FaultKind, choose: (stored: StoredTask) => (() => void) | null): void => {
    const able = acts.unfinished().flatMap((stored) => choose(stored) ?? []);
    if (able.length > 0 && world.strikes(kind)) random.pick(able)();
  };
  const withFailed = (stored: StoredTask, move: (step: Step) => void) => {
    const failed = failedOf(stored);
    return failed.length === 0 ? null : () => move(random.pick(failed));
  };

  const round = (): void => {
    if (world.healedAt !== null) return;
    on("undoRequested", (stored) => () => acts.undo(stored));
    on("taskPaused", (stored) => (stored.task.paused ? null : () => acts.pauseTask(stored)));
    on("taskResumed", (stored) => (stored.task.paused ? () => acts.resumeTask(stored) : null));
    on("stepRetried", (stored) => {
      const step = acts.delayed(stored, 0);
      return step === undefined ? null : () => acts.retry(stored, step);
    });
    on("waitFired", (stored) => {
      const steps = acts.awaiting(stored);
      return steps.length === 0 ? null : () => acts.fire(stored, random.pick(steps));
    });
    on("stepResubmitted", (stored) =>
      withFailed(stored, (step) => acts.resubmit(stored, step, random.chance(0.5))),
    );
    on("stepResolved", (stored) => withFailed(stored, (step) => acts.resolve(stored, step)));
    if (world.strikes("agentPaused")) acts.toggle({ kind: "agent", name: random.pick(agentNames) });
    on("workflowPaused", ({ task }) => () => {
      acts.toggle({ kind: "workflow", name: task.workflow.name });
    });
    timeline.aside(interval, round);
  };
  timeline.aside(interval, round);
}
