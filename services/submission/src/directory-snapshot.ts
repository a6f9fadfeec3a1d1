import { familyOf } from "@holdfast/domain";
import { type Clock, overload } from "@holdfast/runtime";
import { type SubmissionStore, type WorkflowRecord } from "@holdfast/state-store";

/** The workflows, collections and Agents that the state store knew at one instant. */
export interface Snapshot {
  readonly readAt: number;
  readonly workflows: readonly WorkflowRecord[];
  /** The workflow, without its version, of each collection. */
  readonly collections: ReadonlyMap<string, string>;
  readonly agents: ReadonlySet<string>;
  /** How long (ms) the first Agent has been known. */
  readonly agentsKnownFor: number;
}

type Store = Pick<SubmissionStore, "findWorkflows" | "findKnownAgents">;

/**
 * Milliseconds after which a snapshot is refreshed in the background; and after which requests wait
 * for a new one.
 */
const fresh = 1_000;
const usable = 30_000;
/** Milliseconds between two reads for what is not there: a stranger can ask for any name. */
const betweenMisses = 100;
/** Requests that may wait for the store here: each holds its body. */
const mostWaiting = 200;

/** Keeps the last snapshot, and reads a new one when it is old. One read runs at a time. */
export function snapshotCache(store: Store, clock: Clock) {
  let snapshot: Snapshot | null = null;
  let reading: Promise<Snapshot> | null = null;
  const wait = waitInTurn();

  const read = (): Promise<Snapshot> => {
    reading ??= readSnapshot(store, clock)
      .then((found) => (snapshot = found))
      .finally(() => {
        reading = null;
      });
    return reading;
  };

  /** The snapshot, if it is recent enough to be used; null: requests have to wait for a new one. */
  const current = (): Snapshot | null => {
    const age = snapshot === null ? Number.POSITIVE_INFINITY : clock.now() - snapshot.readAt;
    // If it fails, the next request that has to wait for it gets the error.
    if (age > fresh && age <= usable) read().catch(() => {});
    return age <= usable ? snapshot : null;
  };

  /**
   * Reads a snapshot that begins after this call: a read under way may have missed a change that
   * was answered already.
   */
  const readAnew = async (): Promise<Snapshot> => {
    await reading?.catch(() => {});
    return read();
  };

  /** Reads a new snapshot, a moment after the last one at the earliest. */
  const readForMiss = async (): Promise<Snapshot> => {
    await reading?.catch(() => {});
    const due = snapshot === null ? 0 : snapshot.readAt + betweenMisses - clock.now();
    if (due > 0) await new Promise<void>((resolve) => void clock.after(due, resolve));
    return read();
  };

  return {
    /** The last snapshot, however old. */
    last: (): Snapshot | null => snapshot,
    current,
    wait,
    read: (): Promise<Snapshot> => wait(read),
    readAnew: (): Promise<Snapshot> => wait(readAnew),
    /** What `pick` finds in the current snapshot, or else in a new one. */
    async lookUp<T>(pick: (from: Snapshot) => T | undefined): Promise<T | undefined> {
      const before = current();
      const found = before === null ? undefined : pick(before);
      return found ?? pick(await wait(readForMiss));
    },
    async reload(): Promise<void> {
      await readAnew();
    },
  };
}

/** Waits for the store, among a bounded number of others. */
function waitInTurn() {
  let waiting = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= mostWaiting) throw overload;
    waiting += 1;
    try {
      return await work();
    } finally {
      waiting -= 1;
    }
  };
}

async function readSnapshot(store: Store, clock: Pick<Clock, "now">): Promise<Snapshot> {
  const readAt = clock.now();
  const [workflows, agents] = await Promise.all([store.findWorkflows(), store.findKnownAgents()]);
  const collections = workflows.flatMap(({ name, collections: named }) =>
    named.map((collection) => [collection, familyOf(name)] as const),
  );
  return {
    readAt,
    workflows,
    collections: new Map(collections),
    agents: new Set(agents.map(({ agent }) => agent)),
    agentsKnownFor: Math.max(0, ...agents.map(({ knownFor }) => knownFor)),
  };
}
