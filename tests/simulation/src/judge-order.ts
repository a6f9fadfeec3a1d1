import { type Fairness, laneOf, type Step } from "@holdfast/domain";
import { epoch, type StoredTask, type StoreWatcher } from "@holdfast/testing/simulator";
import { nameOf } from "./facts.ts";
import type { World } from "./world.ts";

/** A step that a claim may take. */
interface ReadyStep {
  readonly name: string;
  readonly lane: string;
  readonly band: number;
  readonly fairness: Fairness | null;
  /** How often each other key was served since this step became the first of its own. */
  readonly overtakenBy: Map<string, number>;
}

const bands = ["urgent", "normal", "batch"];

/**
 * Holds claims against the due order, where nothing disturbs it: no row is locked and nothing is
 * paused.
 */
export function judgeOrder({ isCalm, timeline, accuse }: World): StoreWatcher {
  /** Steps that are ready, in the order in which they became so. */
  const ready = new Map<string, ReadyStep>();

  const note = (stored: StoredTask, step: Step): void => {
    const { taskId } = stored.task;
    const id = nameOf(taskId, step.plan.name);
    ready.delete(id);
    // What was delayed is claimed once it is staged, and when that is depends on the Scheduler's
    // rounds.
    if (step.processState !== "pending" || step.notBefore > timeline.now + epoch) return;
    const band = step.plan.kind === "undo" ? 0 : 1 + bands.indexOf(stored.priority);
    const { fairness } = stored;
    ready.set(id, { name: id, lane: laneOf(step), band, fairness, overtakenBy: new Map() });
  };

  const judge = (claimed: ReadyStep): void => {
    const rivals = [...ready.values()].filter(({ lane }) => lane === claimed.lane);
    for (const { name, band } of rivals) {
      if (band >= claimed.band) continue;
      accuse("no step overtakes one of a band before", () => `${claimed.name} before ${name}`);
    }
    const inBand = rivals.filter(({ band }) => band === claimed.band);
    for (const rival of inBand) judgeKeys(claimed, rival);
  };

  const judgeKeys = (claimed: ReadyStep, rival: ReadyStep): void => {
    const [served, waits] = [claimed.fairness, rival.fairness];
    if (served === null || waits === null) return;
    if (served.key === waits.key) return;
    const times = (rival.overtakenBy.get(served.key) ?? 0) + 1;
    rival.overtakenBy.set(served.key, times);
    if (times <= served.weight / waits.weight + 1) return;
    const witness = () => `${rival.name} was overtaken ${times} times by ${served.key}`;
    accuse("a key waits for its turn and no longer", witness);
  };

  return {
    submitted(stored) {
      for (const step of stored.task.steps.values()) note(stored, step);
    },
    claimed(stored, step) {
      const id = nameOf(stored.task.taskId, step.plan.name);
      const claimed = ready.get(id);
      ready.delete(id);
      if (isCalm && claimed !== undefined) judge(claimed);
      for (const { fairness, overtakenBy } of ready.values()) {
        if (fairness?.key === stored.fairness?.key) overtakenBy.clear();
      }
    },
    confirmed() {},
    resent() {},
    decided(stored, reports) {
      for (const { step } of reports.flatMap(({ changes }) => changes)) note(stored, step);
    },
  };
}
