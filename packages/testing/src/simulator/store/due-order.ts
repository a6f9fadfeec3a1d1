import {
  type FairClock,
  type Fairness,
  laneOf,
  type Step,
  strideOf,
  virtualTime,
} from "@holdfast/domain";
import type { StoredTask } from "./memory-task.ts";
import { least, type StoreState } from "./store-state.ts";

/** Has a due step found by claims, at the place that its fairness key or its due time gives it. */
export function enqueue(
  state: StoreState,
  stored: StoredTask,
  step: Step & { readonly processState: "pending" },
): void {
  const { fairness } = stored;
  const rank = fairness === null ? step.notBefore : takeRank(state, { stored, step, fairness });
  stored.ranks.set(step.plan.name, rank);
}

interface FairStep {
  readonly stored: StoredTask;
  readonly step: Step;
  readonly fairness: Fairness;
}

function takeRank(state: StoreState, { stored, step, fairness }: FairStep): number {
  const queue = queueOf(state, stored, step);
  const clocks = state.fairnessClocks.get(queue) ?? new Map<string, FairClock>();
  const waiting = keyedSteps(state).filter((due) => due.queue === queue);
  const last = new Map(
    [...ranksByKey(waiting)].map(([key, ranks]) => [key, Math.max(...ranks)] as const),
  );
  const head = least(waiting.map(({ rank }) => rank));
  const ranked = state.domain.rankFairSteps({ head, last, clocks }, [fairness]);
  state.fairnessClocks.set(queue, ranked.clocks);
  return ranked.ranks[0] ?? virtualTime;
}

interface KeyedStep extends DueStep {
  readonly fairness: Fairness;
  /** The key of its lane and band. */
  readonly queue: string;
}

const keyedSteps = (state: StoreState): readonly KeyedStep[] =>
  dueSteps(state).flatMap((due) => {
    const { fairness } = due.stored;
    return fairness === null
      ? []
      : [{ ...due, fairness, queue: queueOf(state, due.stored, due.step) }];
  });

const ranksByKey = (steps: readonly KeyedStep[]): ReadonlyMap<string, readonly number[]> =>
  new Map(
    [...Map.groupBy(steps, ({ fairness }) => fairness.key)].map(([key, ofKey]) => [
      key,
      ofKey.map(({ rank }) => rank),
    ]),
  );

/** Closes the gaps that steps left which were not served, in the order of each fairness key. */
export function closeFairnessGaps(state: StoreState): void {
  for (const [queue, waiting] of Map.groupBy(keyedSteps(state), (due) => due.queue)) {
    const head = Math.min(...waiting.map(({ rank }) => rank));
    for (const [key, ofKey] of Map.groupBy(waiting, ({ fairness }) => fairness.key)) {
      const stride = state.fairnessClocks.get(queue)?.get(key)?.stride ?? strideOf(1);
      const inOrder = ofKey.toSorted((a, b) => a.rank - b.rank);
      const ranks = state.domain.closeFairnessGaps(
        head,
        stride,
        inOrder.map(({ rank }) => rank),
      );
      for (const [place, { stored, step }] of inOrder.entries()) {
        stored.ranks.set(step.plan.name, ranks[place]!);
      }
    }
  }
}

const queueOf = ({ domain }: StoreState, stored: StoredTask, step: Step): string =>
  `${laneOf(step)} ${domain.bandOfStep(step, stored)}`;

/** A step that may be claimed. */
export interface DueStep {
  readonly stored: StoredTask;
  readonly step: Step;
  readonly rank: number;
}

export const dueSteps = ({ tasks }: Pick<StoreState, "tasks">): readonly DueStep[] =>
  [...tasks.values()].flatMap((stored) =>
    [...stored.ranks].flatMap(([name, rank]) => {
      const step = stored.task.steps.get(name);
      return step === undefined ? [] : [{ stored, step, rank }];
    }),
  );
