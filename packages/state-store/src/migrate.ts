import { fileURLToPath } from "node:url";
import { runner } from "node-pg-migrate";
import { Client } from "pg";
import { withRetries } from "./database.ts";
import { guardSql } from "./guard.ts";

const silent = () => {};
export const migrationsFolder = fileURLToPath(new URL("../migrations", import.meta.url));

/**
 * Brings the store at `url` to the schema of this release, and its guards to the state machine of
 * this release. Forward only, one transaction, one runner at a time; again is harmless. Needs the
 * owner of the database. Returns the names of the migrations that ran.
 */
export async function migrate(url: string): Promise<readonly string[]> {
  const dbClient = new Client({ connectionString: url, application_name: "holdfast migrate" });
  await dbClient.connect();
  try {
    const ran = await runner({
      dbClient,
      dir: migrationsFolder,
      direction: "up",
      migrationsTable: "migrations",
      migrationsSchema: "state",
      createMigrationsSchema: true,
      advisoryLockMode: "wait",
      logger: { debug: silent, info: silent, warn: silent, error: silent },
    });
    await withRetries(() => dbClient.query(guardSql));
    return ran.map(({ name }) => name);
  } finally {
    await dbClient.end();
  }
}
