import { readMigrations } from "../migrate/migration-files.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** The migrations that a store has had, and those of this release that it has not. */
export interface Migrations {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** What this release does not know: the store belongs to a later one. */
  readonly unknown: readonly string[];
}

const select = query("find-migrations", rowsOf<{ name: string }>());
const undefinedTable = "42P01";

export async function findMigrations(db: Database): Promise<Migrations> {
  const ours = readMigrations().map(({ name }) => name);
  const applied = await namesIn(db);
  return {
    applied,
    pending: ours.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !ours.includes(name)),
  };
}

async function namesIn(db: Database): Promise<readonly string[]> {
  try {
    return (await select(db, {})).map(({ name }) => name);
  } catch (error) {
    // An empty database has not had any.
    if ((error as { readonly code?: unknown }).code === undefinedTable) return [];
    throw error;
  }
}
