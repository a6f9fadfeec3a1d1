import { PermanentFault } from "./faults.ts";
import { constant, type Step, type StepState, stepStates } from "./step.ts";
import type { Milliseconds } from "./workflow-definition.ts";

/** Everything that can be done to a step. */
export type StepAction =
  | "admit"
  | "plan"
  | "hold"
  | "skip"
  | "cancel"
  | "claim"
  | "complete"
  | "retry"
  | "coolDown"
  | "requeue"
  | "retryNow"
  | "fail"
  | "resubmit"
  | "resolve"
  | "open"
  | "postpone"
  | "fire"
  | "lapse";

/**
 * The whole state machine of a step: what is not in the table cannot happen. The guard trigger of
 * the state store is generated from it.
 */
export const stepTransitions: Readonly<
  Record<StepAction, Readonly<Partial<Record<StepState, StepState>>>>
> = {
  /** Its condition is true; kept, because the values that it names are not loaded later. */
  admit: { waiting: "waiting" },
  /** The steps before it are done. */
  plan: { waiting: "pending" },
  /** The task halted: what is not in flight starts again only when it is planned anew. */
  hold: { pending: "waiting" },
  /** Its condition is false, or there is nothing to undo. */
  skip: { waiting: "skipped" },
  /** The task is to be undone. */
  cancel: {
    waiting: "cancelled",
    pending: "cancelled",
    processing: "cancelled",
    awaiting: "cancelled",
  },
  /** A Scheduler takes it. */
  claim: { pending: "processing" },
  complete: { processing: "processed" },
  /** Counted failure below the threshold. */
  retry: { processing: "pending" },
  /** Counted failure at the threshold, and the policy says to wait for an extended period. */
  coolDown: { processing: "pending" },
  /**
   * A requeue is not a failure of the step: no Agent took it, or the Agent did not call the remote
   * service.
   */
  requeue: { processing: "pending" },
  /** An operator ends its delay. */
  retryNow: { pending: "pending" },
  fail: { processing: "error" },
  /** An operator has it tried again. */
  resubmit: { error: "pending" },
  /** An operator did it by hand. */
  resolve: { error: "processed" },
  /** The steps before it are done, and it begins to wait. */
  open: { waiting: "awaiting" },
  /** Its task was paused, and a failure by its deadline would be that of the pause. */
  postpone: { awaiting: "awaiting" },
  /** What it waited for has come, or an operator waits no longer. */
  fire: { awaiting: "processed" },
  /** What it waited for can come no more. */
  lapse: { awaiting: "error" },
};

export const nextStepState = (action: StepAction, from: StepState): StepState | null =>
  stepTransitions[action][from] ?? null;

/** Pairs [from, to] of different states, each once. */
export const legalStepTransitions: readonly (readonly [StepState, StepState])[] = distinct(
  Object.values(stepTransitions)
    .flatMap((moves) => Object.entries(moves) as [StepState, StepState][])
    .filter(([from, to]) => from !== to),
);

/** Moves that are saved by themselves: what they follow is committed before. */
const savedAlone: ReadonlySet<string> = new Set<StepAction>(["claim", "fire", "lapse"]);

/**
 * Pairs [from, to] of what may become of a step between two commits: moves that are saved together,
 * such as a retry in a task that has halted, which is held at once. A claim is always saved by
 * itself, and so is the end of a wait.
 */
export const savedStepTransitions: readonly (readonly [StepState, StepState])[] = distinct([
  ...legalStepTransitions,
  ...stepStates.flatMap((from) => {
    const reached = reachableFrom(from);
    return [...reached].filter((to) => to !== from).map((to) => [from, to] as const);
  }),
]);

/** The states that any number of moves lead to, other than those that are saved alone. */
function reachableFrom(from: StepState): ReadonlySet<StepState> {
  const reached = new Set<StepState>([from]);
  for (const state of reached) {
    for (const [action, moves] of Object.entries(stepTransitions)) {
      const to = moves[state];
      if (to !== undefined && !savedAlone.has(action)) reached.add(to);
    }
  }
  return reached;
}

function distinct<T extends readonly [string, string]>(pairs: readonly T[]): readonly T[] {
  return [...new Map(pairs.map((pair) => [pair.join(), pair])).values()];
}

/** One move of one step: the new step, and what its history will say. */
export interface Change {
  readonly step: Step;
  readonly action: StepAction;
  readonly from: StepState;
  /** A code, `area.what`: why. */
  readonly reason: string | null;
  /** The delay that an Agent asked for, where it was longer than the policy of the step allows. */
  readonly cappedDelay?: Milliseconds;
}

interface Details {
  readonly reason?: string;
  readonly cappedDelay?: Milliseconds | undefined;
  /** What the step has in its new state besides what is constant. */
  readonly changes?: Partial<Step> & object;
}

/**
 * Moves a step as the table says. Throws when the table has no such move: callers have looked
 * before, so that would be a bug and must never be saved.
 */
export function change(
  step: Step,
  action: StepAction,
  { reason, changes, cappedDelay }: Details = {},
): Change {
  const processState = nextStepState(action, step.processState);
  if (processState === null) {
    throw new PermanentFault(
      "domain.illegal_transition",
      `A step that is ${step.processState} cannot ${action}`,
    );
  }
  const moved = { ...constant(step), ...changes, processState } as Step;
  const made = { step: moved, action, from: step.processState, reason: reason ?? null };
  return cappedDelay === undefined ? made : { ...made, cappedDelay };
}
