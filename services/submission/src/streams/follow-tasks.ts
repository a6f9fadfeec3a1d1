import type { Milliseconds } from "@holdfast/domain";
import { type Following, followByLooks } from "./follow-by-looks.ts";
import { type LookDependencies, lookAtTasks } from "./look-at-tasks.ts";
import type { Follower } from "./task-followers.ts";

/** Milliseconds between two looks: more where many follow. */
const soon: Milliseconds = 250;
const later: Milliseconds = 1_000;
const few = 100;

/** Sends to each that follows a task what becomes of it. One look asks for all tasks that are followed. */
export const followTasks = (deps: LookDependencies): Following<Follower> =>
  followByLooks({
    async look(followers) {
      const rest = followers.size > few ? later : soon;
      const ready = [...followers].filter(({ stream }) => deps.streams.isReady(stream));
      try {
        await lookAtTasks(deps, ready);
      } finally {
        for (const one of followers) if (one.hasEnded) followers.delete(one);
      }
      return rest;
    },
  });
