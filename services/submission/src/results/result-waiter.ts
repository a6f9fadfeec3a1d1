import type { Milliseconds } from "@holdfast/domain";
import type { StateStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<StateStore, "findFinishedTasks">;
  readonly clock?: () => Milliseconds;
}

/** Waits for tasks to end. */
export interface ResultWaiter {
  /**
   * Resolves when the task has ended, or earlier: after `patience`, when the process stops, when the caller is gone
   * (`onGone` is given what to call then), or at once when too many wait.
   */
  wait(
    taskId: string,
    how: { readonly patience: Milliseconds; readonly onGone: (leave: () => void) => void },
  ): Promise<void>;
  /** Lets all that wait go. */
  stop(): void;
  readonly isStopped: boolean;
}

/** So many may wait at a time, each with its connection. */
const mostWaiting = 1_000;
/** Between two looks: short while the youngest has waited for less than a second, longer afterwards. */
const soon: Milliseconds = 20;
const later: Milliseconds = 250;
const young: Milliseconds = 1_000;
/** While the store does not answer. */
const afterFailure: Milliseconds = 1_000;

interface Waiting {
  readonly taskId: string;
  readonly since: Milliseconds;
  readonly leave: () => void;
}

/**
 * One look at the store at a time asks for all tasks that are waited for, however many wait. Nothing is asked while
 * no request waits.
 */
export function resultWaiter({
  store,
  clock = () => performance.now(),
}: Dependencies): ResultWaiter {
  const waiting = new Set<Waiting>();
  let next: ReturnType<typeof setTimeout> | null = null;
  let isLooking = false;
  let isStopped = false;

  const look = async (): Promise<void> => {
    next = null;
    isLooking = true;
    let rest = pauseOf(waiting, clock());
    try {
      const taskIds = [...new Set([...waiting].map(({ taskId }) => taskId))];
      const ended = new Set(await store.findFinishedTasks({ taskIds }));
      for (const one of waiting) if (ended.has(one.taskId)) one.leave();
    } catch {
      // Each that waits has a limit of its own, and is answered then how its task stands.
      rest = afterFailure;
    }
    isLooking = false;
    plan(rest);
  };
  const plan = (rest: Milliseconds): void => {
    if (next !== null || isLooking || waiting.size === 0) return;
    next = setTimeout(() => void look(), rest);
  };

  return {
    wait: (taskId, { patience, onGone }) =>
      new Promise((resolve) => {
        if (isStopped || waiting.size >= mostWaiting) return resolve();
        const one: Waiting = {
          taskId,
          since: clock(),
          leave() {
            clearTimeout(limit);
            waiting.delete(one);
            resolve();
          },
        };
        const limit = setTimeout(one.leave, patience);
        waiting.add(one);
        onGone(one.leave);
        plan(soon);
      }),
    get isStopped() {
      return isStopped;
    },
    stop() {
      isStopped = true;
      if (next !== null) clearTimeout(next);
      for (const one of waiting) one.leave();
    },
  };
}

function pauseOf(waiting: ReadonlySet<Waiting>, now: Milliseconds): Milliseconds {
  const youngest = Math.min(...[...waiting].map(({ since }) => now - since));
  return youngest < young ? soon : later;
}
