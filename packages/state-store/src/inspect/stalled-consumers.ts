import { repeatable } from "../postgres/operation.ts";
import { columns, type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** A consumer that fails to record a part of what it has read. */
export interface KeptStalledConsumer {
  readonly queue: string;
  readonly messages: number;
  readonly failures: number;
  /** Milliseconds since the first failure. */
  readonly forMs: number;
  readonly error: string;
}

/** A stalledConsumer, and the Scheduler whose it is. */
export interface StalledConsumerFacts extends KeptStalledConsumer {
  readonly instance: string;
}

const save = query("save-stalled-consumers");
const find = query("find-stalled-consumers", rowsOf<StalledConsumerFacts>());

/** Milliseconds: a Scheduler says so every 5 s. */
const heardWithin = 30_000;

/** Keeps what the consumers of one Scheduler fail at now, in the place of what was kept before. */
export const recordStalledConsumers = repeatable(
  async (
    db,
    {
      instance,
      stalledConsumers,
    }: { readonly instance: string; readonly stalledConsumers: readonly KeptStalledConsumer[] },
  ): Promise<void> => {
    const rows = columns(stalledConsumers, {
      queues: "queue",
      messages: "messages",
      failures: "failures",
      forMs: "forMs",
      errors: "error",
    });
    await save(db, { instance, ...rows });
  },
);

export const findStalledConsumers = (db: Database): Promise<StalledConsumerFacts[]> =>
  find(db, { heardWithin });
