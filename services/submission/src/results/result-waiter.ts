import type { Milliseconds } from "@holdfast/domain";
import type { Caller, Shares } from "@holdfast/runtime/http";
import type { SubmissionStore } from "@holdfast/state-store";

interface ResultWaiterDependencies {
  readonly store: Pick<SubmissionStore, "findFinishedTasks">;
  /** Requests that wait at a time, by address, each with its connection. */
  readonly room: Shares;
  readonly clock?: () => Milliseconds;
}

interface Wait {
  readonly caller: Caller;
  readonly timeout: Milliseconds;
  readonly onGone: (leave: () => void) => void;
}

/** Waits for tasks to end. */
export interface ResultWaiter {
  /**
   * Resolves when the task has ended, or earlier: after `timeout`, when the process stops, when the
   * caller is gone (`onGone` is given what to call then), or at once when too many wait, or too
   * many of its address.
   */
  wait(taskId: string, how: Wait): Promise<void>;
  /** Lets all that wait go. */
  stop(): void;
}

/**
 * Milliseconds between two looks: fewer while the youngest has waited for less than a second, more
 * afterwards.
 */
const soon: Milliseconds = 20;
const later: Milliseconds = 250;
const young: Milliseconds = 1_000;
/** Milliseconds between two looks while the store does not answer. */
const afterFailure: Milliseconds = 1_000;

interface Waiting {
  readonly taskId: string;
  readonly since: Milliseconds;
  readonly leave: () => void;
}

/**
 * One look at the store at a time asks for all tasks that are waited for, however many wait.
 * Nothing is asked while no request waits.
 */
export function resultWaiter({
  store,
  room,
  clock = () => performance.now(),
}: ResultWaiterDependencies): ResultWaiter {
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
    wait: (taskId, { caller, timeout, onGone }) =>
      new Promise((resolve) => {
        const place = isStopped ? null : room.take(caller);
        if (place === null) return resolve();
        const one: Waiting = {
          taskId,
          since: clock(),
          leave() {
            clearTimeout(limit);
            waiting.delete(one);
            place.release();
            resolve();
          },
        };
        const limit = setTimeout(one.leave, timeout);
        waiting.add(one);
        onGone(one.leave);
        plan(soon);
      }),
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
