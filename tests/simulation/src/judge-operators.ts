import { type AgentPlan, agentOf, callsOf, stepKinds, stepsOf, type Task } from "@holdfast/domain";
import type { PauseTarget } from "@holdfast/state-store";
import { epoch, type StoreWatcher } from "@holdfast/testing/simulator";
import { nameOf } from "./facts.ts";
import type { World } from "./world.ts";

interface Submitted extends Pausable {
  readonly limit: number | null;
}

const hour = 3_600_000;

/** Milliseconds that a step may be delayed at most: an hour, or the longest delay of its policy. */
const boundOf = ({ retry, coolDown }: AgentPlan): number =>
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

    submitted({ task }, definition) {
      const { name: workflow, completeWithin: limit } = definition;
      const agents = new Set(callsOf(definition).map(({ agent }) => agent));
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

    confirmed() {},

    resent() {},

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
    // What waits is never pending: that is a rule of its own.
    if (!stepKinds[step.plan.kind].isClaimed) continue;
    if (step.notBefore - epoch - timeline.now <= boundOf(step.plan)) continue;
    accuse("no step rests beyond its bound", () => nameOf(task.taskId, step.plan.name));
  }
}

/** Time during which something was paused; `to` null: it still is. */
interface Span {
  readonly from: number;
  to: number | null;
}

/** A task with its pauses. */
interface Pausable {
  readonly at: number;
  readonly workflow: string;
  readonly agents: ReadonlySet<string>;
  readonly pauses: Span[];
}

/** The pauses of Agents and workflows, and the time for which they hold a task. */
interface PauseRecord {
  begin(spans: Span[]): void;
  end(spans: readonly Span[]): void;
  spansOf(target: PauseTarget): Span[];
  /** Milliseconds for which the limit of the task has been running. */
  ranFor(task: Pausable): number;
}

const isOpen = (spans: readonly Span[] | undefined): boolean => spans?.at(-1)?.to === null;

function pauseRecord({ timeline }: Pick<World, "timeline">): PauseRecord {
  const targets = new Map<string, Span[]>();

  const spansOf = ({ kind, name }: PauseTarget): Span[] => {
    const key = `${kind} ${name}`;
    const spans = targets.get(key) ?? [];
    targets.set(key, spans);
    return spans;
  };

  return {
    begin: (spans) => void spans.push({ from: timeline.now, to: null }),
    end(spans) {
      const last = spans.at(-1);
      if (last?.to === null) last.to = timeline.now;
    },
    spansOf,
    ranFor({ at, pauses, agents, workflow }) {
      const spans = [
        ...pauses,
        ...spansOf({ kind: "workflow", name: workflow }),
        ...[...agents].flatMap((name) => spansOf({ kind: "agent", name })),
      ]
        .map(({ from, to }) => ({ from: Math.max(from, at), to: to ?? timeline.now }))
        .toSorted((one, other) => one.from - other.from);
      let counted = at;
      let paused = 0;
      for (const { from, to } of spans) {
        paused += Math.max(0, to - Math.max(from, counted));
        counted = Math.max(counted, to);
      }
      return timeline.now - at - paused;
    },
  };
}
