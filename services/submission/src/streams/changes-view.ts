import type { Milliseconds } from "@holdfast/domain";
import type { ChangedTask, ChangedTasks } from "@holdfast/state-store";

/** What all streams are sent of one look at the store. */
export interface FreshChanges {
  /** The entry of the history after which a client goes on when it comes again. */
  readonly id: string;
  readonly tasks: readonly ChangedTask[];
  /** The number of tasks that changed besides. */
  readonly more: number;
}

/**
 * Entries of the history get their numbers before they can be seen, so that one may appear after a
 * later one did. What came in the last seconds is read again, therefore, and what was sent before
 * is left out.
 */
const overlap: Milliseconds = 5_000;
/** Tasks of one event. */
export const mostTasks = 200;

/** Remembers what was seen and sent, for as long as it is read again. */
export interface ChangesView {
  /** The entry after which the next look begins; null: after the last one. */
  readonly after: string | null;
  take(found: ChangedTasks): FreshChanges;
}

export function changesView(clock: () => Milliseconds = () => performance.now()): ChangesView {
  /** The last entries that were there, oldest look first. */
  const seen: { readonly id: string; readonly at: Milliseconds }[] = [];
  const sent = new Map<string, { readonly version: number; readonly at: Milliseconds }>();
  const base = (): string | null => seen[0]?.id ?? null;
  return {
    get after() {
      return base();
    },
    take({ lastId, moved, tasks }) {
      const now = clock();
      const fresh = tasks.filter(({ id, version }) => sent.get(id)?.version !== version);
      for (const { id, version } of fresh) sent.set(id, { version, at: now });
      seen.push({ id: lastId, at: now });
      // The last look that is old enough stays.
      while (seen[1] !== undefined && now - seen[1].at >= overlap) seen.shift();
      for (const [id, { at }] of sent) if (now - at > 2 * overlap) sent.delete(id);
      return {
        id: base() ?? lastId,
        tasks: fresh.slice(0, mostTasks),
        more: Math.max(0, fresh.length - mostTasks) + moved - tasks.length,
      };
    },
  };
}
