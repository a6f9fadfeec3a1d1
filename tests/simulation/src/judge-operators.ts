import { agentOf, type StepPlan, stepsOf, type Task } from "@holdfast/domain";
import type { PauseTarget } from "@holdfast/state-store";
import { epoch, type StoreWatcher } from "@holdfast/testing/simulator";
import { nameOf } from "./facts.ts";
import { isOpen, type Pausable, pauseRecord } from "./pause-record.ts";
import type { World } from "./world.ts";

interface Submitted extends Pausable {
  readonly limit: number | null;
}

const hour = 3_600_000;

/** Milliseconds that a step may be delayed at most: an hour, or the longest delay of its policy. */
const boundOf = ({ retry, coolDown }: StepPlan): number =>
  Math.max(hour, retry.max, coolDown?.wait ?? 0);

/** What operators did and were answered, and the rules that follow from it. */
export interface OperatorJudge extends StoreWatcher {
  taskPaused(taskId: string): void;
  taskResumed(taskId: string): void;
  targetPaused(target: PauseTarget): void;
  targetResumed(target: PauseTarget): void;
}

/** Keeps its own record of all pauses, and holds what the store saves against it. */
export function judgeOperators(world: World): OperatorJudge {
  const { timeline, accuse } = world;
  const tasks = new Map<string, Submitted>();
  const record = pauseRecord(world);

  return {
    taskPaused: (taskId) => record.begin(tasks.get(taskId)?.pauses ?? []),
    taskResumed: (taskId) => record.end(tasks.get(taskId)?.pauses ?? []),
    targetPaused: (target) => record.begin(record.spansOf(target)),
    targetResumed: (target) => record.end(record.spansOf(target)),

    submitted({ task }, { name: workflow, completeWithin: limit, steps }) {
      const agents = new Set(steps.map(({ agent }) => agent));
      tasks.set(task.taskId, { at: timeline.now, limit, workflow, agents, pauses: [] });
    },

    claimed({ task }, step) {
      const witness = () => nameOf(task.taskId, step.plan.name);
      if (isOpen(tasks.get(task.taskId)?.pauses)) accuse("a paused task claims nothing", witness);
      if (isOpen(record.spansOf({ kind: "agent", name: agentOf(step) }))) {
        accuse("a paused Agent gets nothing to do", witness);
      }
      if (isOpen(record.spansOf({ kind: "workflow", name: task.workflow.name }))) {
        accuse("a paused workflow claims nothing", witness);
      }
    },

    marked() {},

    relayed() {},

    decided({ task }, reports) {
      const { taskId } = task;
      const known = tasks.get(taskId);
      const isResumed = reports.some(({ reportedEvent }) => reportedEvent.event.kind === "resumed");
      if (isOpen(known?.pauses) && !task.paused && !isResumed) {
        accuse("a pause that was answered holds until a resume", () => nameOf(taskId));
      }
      const hasExpired = reports.some(
        ({ reportedEvent, changes }) =>
          reportedEvent.event.kind === "limitPassed" && changes.length > 0,
      );
      // Both clocks count whole milliseconds.
      if (hasExpired && known !== undefined && record.ranFor(known) + 1 < (known.limit ?? 0)) {
        accuse("the limit of a paused task stands still", () => nameOf(taskId));
      }
      judgeDelays(world, task);
    },
  };
}

function judgeDelays({ timeline, accuse }: World, task: Task): void {
  for (const step of stepsOf(task)) {
    // Set aside until its workflow is resumed: that it goes on then is a rule of its own.
    if (step.processState !== "pending" || step.notBefore === Number.POSITIVE_INFINITY) continue;
    if (step.notBefore - epoch - timeline.now <= boundOf(step.plan)) continue;
    accuse("no step rests beyond its bound", () => nameOf(task.taskId, step.plan.name));
  }
}
