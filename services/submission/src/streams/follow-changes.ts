import type { Milliseconds } from "@holdfast/domain";
import type { OperationsStore } from "@holdfast/state-store";
import { type ChangesView, changesView, type FreshChanges, mostTasks } from "./changes-view.ts";
import type { EventStream } from "./event-stream.ts";
import { type Following, followByPolls } from "./follow-by-polls.ts";
import type { OpenStreams } from "./open-streams.ts";

interface ChangesDependencies {
  readonly store: OperationsStore;
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

const pollInterval: Milliseconds = 1_000;
const betweenTicks: Milliseconds = 2_000;
/** Entries of the history that a poll reads: what is before them counts as seen. */
const mostMoves = 20_000;
/** Tasks that a poll reads. More are sent than one event has, if they were not sent before. */
const mostRead = 2_000;
/**
 * Clients that go on somewhere else than the others, for each poll; the others of these have to
 * wait for the next.
 */
const mostResumed = 20;

/**
 * Sends to each that follows all tasks which of them have changed, and how the system is, once a
 * second. A client that comes again, or that did not read for a while, gets what it missed by a
 * query of its own.
 */
export function followChanges(deps: ChangesDependencies): Following<ChangesFollower> {
  const ticks = tickSender(deps);
  let view: ChangesView = changesView();
  return followByPolls({
    async poll(followers) {
      const { current, id } = await readChanges(deps, [...followers], view);
      await ticks.send(current, id);
      return pollInterval;
    },
    // What happened while no client followed is of no interest to a new one.
    onFirst() {
      view = changesView();
    },
  });
}

interface Polled {
  /** Followers that have everything up to now. */
  readonly current: readonly ChangesFollower[];
  /** The entry after which they go on. */
  readonly id: string;
}

async function readChanges(
  { store, streams }: ChangesDependencies,
  followers: readonly ChangesFollower[],
  view: ChangesView,
): Promise<Polled> {
  const { after } = view;
  const changes = view.take(await store.findChangedTasks({ after, most: mostRead, mostMoves }));
  const { id } = changes;
  const ready = new Set(followers.filter(({ stream }) => streams.isReady(stream)));
  for (const one of followers) if (!ready.has(one)) one.after ??= id;
  const missed = Map.groupBy(ready, (one) => one.after);
  for (const one of missed.get(null) ?? []) sendChanges(one, changes);
  missed.delete(null);
  for (const [from, some] of [...missed].slice(0, mostResumed)) {
    const found = await store.findChangedTasks({ after: from, most: mostTasks, mostMoves });
    for (const one of some) {
      one.after = null;
      sendChanges(one, { id, tasks: found.tasks, more: found.moved - found.tasks.length });
    }
  }
  return { current: [...ready].filter((one) => one.after === null), id };
}

/** Sends the overview each two seconds, and at once to a client that has none yet. */
function tickSender({ overview }: Pick<ChangesDependencies, "overview">) {
  const ticked = new WeakSet<ChangesFollower>();
  let dueAt = 0;
  return {
    async send(some: readonly ChangesFollower[], id: string): Promise<void> {
      const isDue = performance.now() >= dueAt;
      const due = some.filter((one) => isDue || !ticked.has(one));
      if (due.length === 0) return;
      const found = await overview();
      if (isDue) dueAt = performance.now() + betweenTicks - pollInterval / 2;
      for (const one of due) {
        ticked.add(one);
        one.stream.send({ id, event: "tick", data: { at: found.at, overview: found } });
      }
    },
  };
}

function sendChanges({ stream }: ChangesFollower, { id, tasks, more }: FreshChanges): void {
  if (tasks.length > 0) stream.send({ id, event: "changed", data: { tasks, more } });
}
