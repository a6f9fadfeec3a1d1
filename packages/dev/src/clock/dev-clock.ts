import { queryOnce } from "@holdfast/local-stack";
import {
  advanceBy,
  bindFunctions,
  findClock,
  makeClock,
  makePartitions,
  readClock,
} from "./clock-sql.ts";

/** The clock of the state store, which decides what is due and what is late. */
export interface DevClock {
  /** Advances it by an hour, and resolves to a sentence: what time it is then, or why it was left alone. */
  advance(hours?: number): Promise<string>;
}

type FoundClock = {
  readonly has_clock: boolean;
  readonly is_migrated: boolean;
  readonly has_uuid_v7: boolean;
  readonly database: string;
};

/**
 * Migrates a database of our own such that its clock can be advanced. It is made before the first migration, because
 * column defaults and views keep the functions that they were made with.
 */
export async function migrateWithClock(
  url: string,
  migrate: (url: string) => Promise<unknown>,
): Promise<DevClock> {
  const [found] = await queryOnce<FoundClock>(url, findClock);
  if (found === undefined) throw new Error("The database says nothing of itself.");
  // In one message, so that a crash leaves all of it or nothing.
  if (!found.has_clock && !found.is_migrated)
    await queryOnce(url, makeClock(found.database, found.has_uuid_v7));
  await migrate(url);
  if (!found.has_clock && found.is_migrated) {
    return leftAlone(
      "The clock of this store cannot be advanced, because an earlier release made it: start once with npx holdfast dev --fresh.",
    );
  }
  // A migration may have made functions anew.
  await queryOnce(url, bindFunctions);
  return {
    async advance(hours = 1) {
      await queryOnce(url, advanceBy(hours));
      // A lock may be in the way for longer than a second. The Supervisor makes them as well.
      await queryOnce(url, makePartitions).catch(() => {});
      const [clock] = await queryOnce<{ readonly now: Date; readonly hours: number }>(
        url,
        readClock,
      );
      return `clock + ${hours} h: for the store it is ${clock?.now.toISOString()}, ${clock?.hours} h ahead of this machine`;
    },
  };
}

/** The clock of a server that is not ours. */
export const foreignClock = (): DevClock =>
  leftAlone("The clock is left alone, because STATE_STORE_URL names a server of your own.");

const leftAlone = (why: string): DevClock => ({ advance: async () => why });
