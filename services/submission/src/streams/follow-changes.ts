import type { Milliseconds } from "@holdfast/domain";
import type { StateStore } from "@holdfast/state-store";
import { type ChangesView, changesView, type FreshChanges, mostTasks } from "./changes-view.ts";
import type { EventStream } from "./event-stream.ts";
import type { OpenStreams } from "./open-streams.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "findChangedTasks">;
  readonly streams: Pick<OpenStreams, "isReady">;
  /** How the system is, at most a second old. */
  readonly overview: () => Promise<{ readonly at: string }>;
}

/** A client that follows all tasks. */
export interface ChangesFollower {
  readonly stream: EventStream;
  /** The entry after which it goes on; null: it has everything up to now. */
  after: string | null;
}

/** Sends to each that follows all tasks which of them have changed, and how the system is. */
export interface ChangesFollowing {
  follow(one: ChangesFollower): void;
  leave(one: ChangesFollower): void;
  stop(): void;
}

const betweenLooks: Milliseconds = 1_000;
const betweenTicks: Milliseconds = 2_000;
/** Entries of the history that a look reads: what is before them counts as seen. */
const mostMoves = 20_000;
/** Tasks that a look reads. More are sent than one event has, if they were not sent before. */
const mostRead = 2_000;
/** Clients that go on somewhere else than the others, for each look; the next ones follow with the next look. */
const mostResumed = 20;

/**
 * One look at the store at a time for all streams, once a second. A client that comes again, or that did not read for a
 * while, gets what it missed by a look of its own. Nothing is asked while no client follows.
 */
export function followChanges({ store, streams, overview }: Dependencies): ChangesFollowing {
  const followers = new Set<ChangesFollower>();
  const unticked = new Set<ChangesFollower>();
  let view: ChangesView = changesView();
  let next: ReturnType<typeof setTimeout> | null = null;
  let [isLooking, isAway] = [false, false];
  let tickAt = 0;

  const lookAtChanges = async (): Promise<void> => {
    const begun = [...followers];
    const changes = view.take(
      await store.findChangedTasks({ after: view.after, most: mostRead, mostMoves }),
    );
    const away = begun.filter(({ stream }) => !streams.isReady(stream));
    for (const one of away) one.after ??= changes.id;
    const ready = begun.filter((one) => !away.includes(one));
    const missed = Map.groupBy(ready, ({ after }) => after);
    for (const one of missed.get(null) ?? []) sendChanges(one, changes);
    missed.delete(null);
    for (const [after, some] of [...missed].slice(0, mostResumed))
      await resume(after, some, changes.id);
    await tick(
      ready.filter(({ after }) => after === null),
      changes.id,
    );
  };
  const resume = async (after: string | null, some: readonly ChangesFollower[], id: string) => {
    const { tasks, moved } = await store.findChangedTasks({ after, most: mostTasks, mostMoves });
    for (const one of some) {
      one.after = null;
      sendChanges(one, { id, tasks, more: moved - tasks.length });
    }
  };
  const tick = async (some: readonly ChangesFollower[], id: string): Promise<void> => {
    const isDue = performance.now() >= tickAt;
    const due = some.filter((one) => isDue || unticked.has(one));
    if (due.length === 0) return;
    const found = await overview();
    const data = { at: found.at, overview: found };
    if (isDue) tickAt = performance.now() + betweenTicks - betweenLooks / 2;
    for (const one of due) {
      unticked.delete(one);
      one.stream.send({ id, event: "tick", data });
    }
  };
  const say = (text: string): void => {
    for (const { stream } of followers) stream.comment(text);
  };
  const look = async (): Promise<void> => {
    next = null;
    isLooking = true;
    try {
      await lookAtChanges();
      if (isAway) say("the state store answers again");
      isAway = false;
    } catch {
      if (!isAway) say("the state store does not answer; this goes on when it is back");
      isAway = true;
    }
    isLooking = false;
    plan(betweenLooks);
  };
  const plan = (rest: Milliseconds): void => {
    if (next !== null || isLooking || followers.size === 0) return;
    next = setTimeout(() => void look(), rest);
  };

  return {
    follow(one) {
      // What happened while no client followed is of no interest to a new one.
      if (followers.size === 0) view = changesView();
      followers.add(one);
      unticked.add(one);
      plan(0);
    },
    leave(one) {
      followers.delete(one);
      unticked.delete(one);
    },
    stop() {
      if (next !== null) clearTimeout(next);
      followers.clear();
      unticked.clear();
    },
  };
}

function sendChanges({ stream }: ChangesFollower, { id, tasks, more }: FreshChanges): void {
  if (tasks.length > 0) stream.send({ id, event: "changed", data: { tasks, more } });
}
