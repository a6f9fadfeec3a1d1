import { type Fairness, laneOf, type Step, virtualTime } from "@holdfast/domain";
import type { StoredTask } from "./memory-task.ts";
import type { StoreState } from "./store-state.ts";

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
  const next = state.fairnessKeys.get(queue) ?? new Map<string, number>();
  const waiting = dueSteps(state).filter(
    (due) => due.rank >= virtualTime && queueOf(state, due.stored, due.step) === queue,
  );
  const head = waiting.length === 0 ? null : Math.min(...waiting.map(({ rank }) => rank));
  const ranked = state.domain.rankFairSteps({ head, next }, [fairness]);
  state.fairnessKeys.set(queue, ranked.next);
  return ranked.ranks[0] ?? virtualTime;
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
