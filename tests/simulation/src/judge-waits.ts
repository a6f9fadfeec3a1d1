import {
  asksAgent,
  type Change,
  type Step,
  type StepDefinition,
  stepsOf,
  type Task,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { epoch, type StoredTask, type StoreWatcher } from "@holdfast/testing/simulator";
import { nameOf } from "./facts.ts";
import { isHeldUpIn, noteStanding, type Standing, type Standings } from "./standings.ts";
import type { World } from "./world.ts";

/** What a step waits for by its workflow. */
interface Terms {
  /** Milliseconds; null: for ever. */
  readonly length: number | null;
  /** Whether it has failed once that is over. */
  readonly fails: boolean;
  /** Whether that stands still while its task is paused or halted. */
  readonly standsStill: boolean;
}

/** What is known of one wait. */
interface WaitFacts extends Terms {
  readonly taskId: string;
  /** The instant of simulated time at which it is to end; null: it is not. */
  endsAt: number | null;
  hasEnded: boolean;
}

/** Milliseconds after its time, or after all is healed, within which a wait ends. */
const endsWithin = 8_000;

/** What waits, for how long each step does by its workflow, and how each task stands. */
interface WaitRecord {
  readonly waits: Map<string, WaitFacts>;
  readonly terms: Map<string, Terms>;
  readonly standings: Standings;
}

function termsOf(step: StepDefinition): Terms | null {
  switch (step.kind) {
    case "signal": {
      const fails = step.onDeadline === "fail";
      return { length: step.within, fails, standsStill: fails };
    }
    case "approval":
      return { length: step.within, fails: step.onDeadline !== "approve", standsStill: true };
    case "wait":
      return "for" in step ? { length: step.for, fails: false, standsStill: false } : null;
    case undefined:
      return null;
  }
}

function noteWorkflow({ terms }: WaitRecord, { name, steps }: WorkflowDefinition): void {
  for (const step of steps) {
    const known = termsOf(step);
    if (known !== null) terms.set(`${name} ${step.name}`, known);
  }
}

const idOf = ({ taskId }: Task, { plan }: Step): string => `${taskId} ${plan.name}`;

function begin(world: World, { waits, terms }: WaitRecord, task: Task, step: Step): void {
  const { accuse, timeline } = world;
  const id = idOf(task, step);
  const known = terms.get(`${task.workflow.name} ${step.plan.name}`);
  if (step.processState !== "awaiting" || known === undefined) {
    return accuse("only what waits by its workflow waits", () => id);
  }
  if (waits.has(id)) accuse("a wait begins once", () => id);
  const { length } = known;
  const endsAt = step.notBefore === null ? null : step.notBefore - epoch;
  const isRight =
    endsAt === null || length === null
      ? endsAt === length
      : // Both clocks count whole milliseconds.
        Math.abs(endsAt - timeline.now - length) <= 1;
  if (!isRight) {
    accuse("a wait lasts as long as its workflow says", () => `${id}: ${step.notBefore}`);
  }
  waits.set(id, { ...known, taskId: task.taskId, endsAt, hasEnded: false });
}

interface End {
  readonly id: string;
  readonly action: Change["action"];
  readonly by: string;
  /** How the task stood before. */
  readonly standing: Standing | undefined;
}

function end(world: World, { waits }: WaitRecord, { id, action, by, standing }: End): void {
  const { accuse, timeline, healedAt } = world;
  const wait = waits.get(id);
  if (wait === undefined || wait.hasEnded) return accuse("a wait ends once", () => id);
  wait.hasEnded = true;
  if (by !== "deadline") return;
  if (wait.fails !== (action === "lapse")) {
    accuse("a deadline is a failure exactly if the workflow says so", () => id);
  }
  if (wait.standsStill && isHeldUpIn(standing)) {
    accuse("no deadline fails or decides while its task is paused or halted", () => id);
  }
  if (wait.endsAt === null || timeline.now + 1 < wait.endsAt) {
    return accuse("no wait ends before its time", () => id);
  }
  if (healedAt === null) return;
  const goesOnSince = wait.standsStill ? (standing?.goesOnSince ?? 0) : 0;
  if (timeline.now > Math.max(wait.endsAt, healedAt, goesOnSince) + endsWithin) {
    accuse("a wait ends soon after its time", () => id);
  }
}

/**
 * Moves on deadlines that lay ahead when their task was paused, once it goes on, if they are failures
 * or decide in the place of people. Returns how the task stood before.
 */
function moveDeadlines({ timeline }: World, record: WaitRecord, task: Task): Standing | undefined {
  const { taskId, paused } = task;
  const before = noteStanding(record.standings, task, timeline.now);
  const since = before?.pausedSince ?? null;
  if (since !== null && !paused) {
    for (const wait of record.waits.values()) {
      if (wait.taskId !== taskId || wait.hasEnded || !wait.standsStill) continue;
      if (wait.endsAt !== null && wait.endsAt > since) wait.endsAt += timeline.now - since;
    }
  }
  return before;
}

function judgeSteps(
  { accuse }: World,
  { waits }: WaitRecord,
  { task, waits: rows }: StoredTask,
): void {
  for (const step of stepsOf(task)) {
    const { name } = step.plan;
    const witness = () => nameOf(task.taskId, name);
    const isAwaiting = step.processState === "awaiting";
    if (!asksAgent(step.plan) && step.processState === "pending") {
      accuse("a wait asks no Agent", witness);
    }
    if (rows.has(name) !== isAwaiting) {
      accuse("a step awaits exactly while it has a wait", witness);
    }
    if (!isAwaiting) continue;
    if (task.goal === "undo") accuse("nothing of a task that is undone waits", witness);
    const known = waits.get(idOf(task, step));
    if (known === undefined) continue;
    const endsAt = step.notBefore === null ? null : step.notBefore - epoch;
    if (Math.abs((known.endsAt ?? 0) - (endsAt ?? 0)) > 1) {
      accuse("the end of a wait changes by pauses alone, and where it stands still", witness);
    }
  }
}

/** Keeps its own record of what waits, and holds what the store saves against it. */
export function judgeWaits(world: World): StoreWatcher {
  const record: WaitRecord = { waits: new Map(), terms: new Map(), standings: new Map() };
  return {
    submitted(stored, definition) {
      noteWorkflow(record, definition);
      for (const step of stepsOf(stored.task)) {
        if (step.processState === "awaiting") begin(world, record, stored.task, step);
      }
      judgeSteps(world, record, stored);
    },

    claimed() {},

    confirmed() {},

    resent() {},

    decided(stored, reports) {
      const { task } = stored;
      const standing = moveDeadlines(world, record, task);
      for (const { reportedEvent, changes } of reports) {
        const { event } = reportedEvent;
        const by = event.kind === "waitEnded" ? event.by : "";
        for (const { action, step } of changes) {
          const id = idOf(task, step);
          if (action === "open") {
            if (task.paused) world.accuse("nothing of a paused task begins to wait", () => id);
            begin(world, record, task, step);
          }
          if (action === "fire" || action === "lapse") {
            end(world, record, { id, action, by, standing });
          }
        }
      }
      judgeSteps(world, record, stored);
    },
  };
}
