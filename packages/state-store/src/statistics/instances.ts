import { definitionFormat } from "@holdfast/domain";
import { holdfastVersion } from "@holdfast/runtime";
import { repeatable } from "../postgres/operation.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { silentAfter } from "./older-instances.ts";

/** A process of Holdfast, as it says of itself. */
export interface Instance {
  readonly service: "submission" | "scheduler" | "supervisor";
  readonly instance: string;
  readonly version: string;
  /** The steps that a Scheduler may have in flight for each Agent. */
  readonly slots: number | null;
  /** Whether it makes tasks of what applications enqueue; absent: it does not. */
  readonly takesEnqueued?: boolean;
  /** What it listens to, to learn what is enqueued; absent or null: nothing. */
  readonly inboxChannel?: string | null;
  /** Whether a version that is not stored stands for the active one there; absent: it does not. */
  readonly takesUnknownVersions?: boolean;
}

export interface SeenInstance extends Omit<Instance, "inboxChannel" | "takesUnknownVersions"> {
  readonly takesEnqueued: boolean;
  readonly startedAt: Date;
  readonly seenAt: Date;
  /** Whether it was seen in the last 20 seconds. */
  readonly living: boolean;
}

/** Milliseconds between two announcements. */
const announceEvery = 5_000;

const save = query("save-instance");
const find = query("find-instances", rowsOf<SeenInstance>());

const takesNothing = { takesEnqueued: false, inboxChannel: null, takesUnknownVersions: false };

/** Notes that a process is there. */
export const recordInstance = repeatable(
  async (db, instance: Instance): Promise<void> =>
    void (await save(db, { ...takesNothing, ...instance, format: definitionFormat })),
);

/** The processes of the last day, those seen last first. */
export const findInstances = repeatable(readInstances);

/** Reads the processes as `findInstances` does, once. */
export function readInstances(db: Database): Promise<readonly SeenInstance[]> {
  return find(db, { silentAfter });
}

/** One round in which this process says what it is: resolves to the milliseconds until the next. */
export function announceInstance(
  store: { readonly recordInstance: (instance: Instance) => Promise<void> },
  describe: () => Omit<Instance, "version">,
): () => Promise<number> {
  const version = holdfastVersion();
  return async () => {
    await store.recordInstance({ ...describe(), version });
    return announceEvery;
  };
}
