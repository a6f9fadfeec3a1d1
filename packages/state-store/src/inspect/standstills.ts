import { repeatable } from "../postgres/operation.ts";
import { type Database, query } from "../postgres/query.ts";
import { columns } from "../postgres/rows-to-columns.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** A consumer that fails to record a part of what it has read. */
export interface KeptStandstill {
  readonly queue: string;
  readonly messages: number;
  readonly failures: number;
  /** Milliseconds since the first failure. */
  readonly forMs: number;
  readonly error: string;
}

/** A standstill, and the Scheduler whose it is. */
export interface StandstillFacts extends KeptStandstill {
  readonly instance: string;
}

const save = query("save-standstills");
const find = query("find-standstills", rowsOf<StandstillFacts>());

/** Milliseconds: a Scheduler says so every 5 s. */
const heardWithin = 30_000;

/** Keeps what the consumers of one Scheduler fail at now, in the place of what was kept before. */
export const recordStandstills = repeatable(
  async (
    db,
    {
      instance,
      standstills,
    }: { readonly instance: string; readonly standstills: readonly KeptStandstill[] },
  ): Promise<void> => {
    const rows = columns(standstills, {
      queues: "queue",
      messages: "messages",
      failures: "failures",
      forMs: "forMs",
      errors: "error",
    });
    await save(db, { instance, ...rows });
  },
);

export const findStandstills = (db: Database): Promise<StandstillFacts[]> =>
  find(db, { heardWithin });
