import { asksAgent, isCall, type Step, stepsOf } from "@holdfast/domain";
import { epoch, type StoredTask, type StoreWatcher } from "@holdfast/testing/simulator";
import { nameOf } from "./facts.ts";
import type { World } from "./world.ts";

/** What is known of one wait. */
interface WaitFacts {
  /** The instant of simulated time at which it is to end. */
  readonly endsAt: number;
  hasEnded: boolean;
}

/** Milliseconds after its time, or after all is healed, within which a wait ends. */
const endsWithin = 8_000;

/** What waits, and for how long each step does by its workflow. */
interface WaitRecord {
  readonly waits: Map<string, WaitFacts>;
  readonly lengths: Map<string, number>;
}

function begin(
  { accuse, timeline }: World,
  { waits, lengths }: WaitRecord,
  id: string,
  step: Step,
): void {
  if (step.processState !== "awaiting" || step.notBefore === null) {
    return accuse("what waits has an end", () => id);
  }
  if (waits.has(id)) accuse("a wait begins once", () => id);
  const length = lengths.get(step.plan.name) ?? Number.NaN;
  // Both clocks count whole milliseconds.
  if (Math.abs(step.notBefore - epoch - timeline.now - length) > 1) {
    accuse("a wait lasts as long as its workflow says", () => `${id}: ${step.notBefore}`);
  }
  waits.set(id, { endsAt: step.notBefore - epoch, hasEnded: false });
}

function end(
  { accuse, timeline, healedAt }: World,
  { waits }: WaitRecord,
  id: string,
  by: string,
): void {
  const wait = waits.get(id);
  if (wait === undefined || wait.hasEnded) return accuse("a wait ends once", () => id);
  wait.hasEnded = true;
  if (by === "operator") return;
  if (timeline.now + 1 < wait.endsAt) accuse("no wait ends before its time", () => id);
  if (healedAt !== null && timeline.now > Math.max(wait.endsAt, healedAt) + endsWithin) {
    accuse("a wait ends soon after its time", () => id);
  }
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
    const known = waits.get(`${task.taskId} ${name}`);
    if (known !== undefined && known.endsAt + epoch !== step.notBefore) {
      accuse("the end of a wait never changes", witness);
    }
  }
}

/** Keeps its own record of what waits, and holds what the store saves against it. */
export function judgeWaits(world: World): StoreWatcher {
  const record: WaitRecord = { waits: new Map(), lengths: new Map() };
  return {
    submitted(stored, { steps }) {
      const { task } = stored;
      for (const step of steps) {
        if (!isCall(step) && "for" in step) record.lengths.set(step.name, step.for);
      }
      for (const step of stepsOf(task)) {
        if (step.processState !== "awaiting") continue;
        begin(world, record, `${task.taskId} ${step.plan.name}`, step);
      }
      judgeSteps(world, record, stored);
    },

    claimed() {},

    confirmed() {},

    resent() {},

    decided(stored, reports) {
      const { taskId, paused } = stored.task;
      for (const { reportedEvent, changes } of reports) {
        const { event } = reportedEvent;
        for (const { action, step } of changes) {
          const id = `${taskId} ${step.plan.name}`;
          if (action === "open") {
            if (paused) world.accuse("nothing of a paused task begins to wait", () => id);
            begin(world, record, id, step);
          }
          if (action === "fire") end(world, record, id, event.kind === "waitEnded" ? event.by : "");
        }
      }
      judgeSteps(world, record, stored);
    },
  };
}
