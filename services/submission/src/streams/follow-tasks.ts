import type { Milliseconds } from "@holdfast/domain";
import { type LookDependencies, lookAtTasks } from "./look-at-tasks.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { Follower } from "./task-followers.ts";

interface Dependencies extends LookDependencies {
  readonly streams: Pick<OpenStreams, "isReady">;
}

/** Sends to each that follows a task what becomes of it. */
export interface TaskFollowing {
  follow(one: Follower): void;
  leave(one: Follower): void;
  stop(): void;
}

/** Between two looks: longer where many follow. */
const soon: Milliseconds = 250;
const later: Milliseconds = 1_000;
const few = 100;
/** While the store does not answer. */
const afterFailure: Milliseconds = 1_000;

/**
 * One look at the store at a time asks for all tasks that are followed, however many clients follow. Nothing is asked
 * while no client does.
 */
export function followTasks({ streams, ...deps }: Dependencies): TaskFollowing {
  const followers = new Set<Follower>();
  let next: ReturnType<typeof setTimeout> | null = null;
  let isLooking = false;
  let isAway = false;

  const say = (text: string): void => {
    for (const { stream } of followers) stream.comment(text);
  };
  const look = async (): Promise<void> => {
    next = null;
    isLooking = true;
    let rest = followers.size > few ? later : soon;
    try {
      await lookAtTasks(
        deps,
        [...followers].filter(({ stream }) => streams.isReady(stream)),
      );
      if (isAway) say("the state store answers again");
      isAway = false;
    } catch {
      rest = afterFailure;
      if (!isAway) say("the state store does not answer; this goes on when it is back");
      isAway = true;
    }
    for (const one of followers) if (one.hasEnded) followers.delete(one);
    isLooking = false;
    plan(rest);
  };
  const plan = (rest: Milliseconds): void => {
    if (next !== null || isLooking || followers.size === 0) return;
    next = setTimeout(() => void look(), rest);
  };

  return {
    follow(one) {
      followers.add(one);
      plan(0);
    },
    leave: (one) => void followers.delete(one),
    stop() {
      if (next !== null) clearTimeout(next);
      followers.clear();
    },
  };
}
