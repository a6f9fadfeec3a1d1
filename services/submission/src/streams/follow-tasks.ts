import type { Milliseconds } from "@holdfast/domain";
import { type Following, followByPolls } from "./follow-by-polls.ts";
import { type PollDependencies, pollTasks } from "./poll-tasks.ts";
import type { Follower } from "./task-followers.ts";

/** Milliseconds between two looks: more where many follow. */
const soon: Milliseconds = 250;
const later: Milliseconds = 1_000;
const few = 100;

/** Sends to each that follows a task what becomes of it. One look asks for all tasks that are followed. */
export const followTasks = (deps: PollDependencies): Following<Follower> =>
  followByPolls({
    async look(followers) {
      const rest = followers.size > few ? later : soon;
      const ready = [...followers].filter(({ stream }) => deps.streams.isReady(stream));
      try {
        await pollTasks(deps, ready);
      } finally {
        for (const one of followers) if (one.hasEnded) followers.delete(one);
      }
      return rest;
    },
  });
