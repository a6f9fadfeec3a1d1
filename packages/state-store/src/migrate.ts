import { fileURLToPath } from "node:url";
import { runner } from "node-pg-migrate";
import { Client } from "pg";
import { withRetries } from "./database.ts";
import { guards } from "./guard.ts";

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
    await renewGuards(dbClient);
    return ran.map(({ name }) => name);
  } finally {
    await dbClient.end();
  }
}

/** One runner at a time, until its connection ends. It holds up all who write, so it waits briefly. */
async function renewGuards(dbClient: Client): Promise<void> {
  await dbClient.query("select pg_advisory_lock(hashtext('holdfast guards'))");
  await dbClient.query("set lock_timeout = '500ms'");
  for (const guard of guards) await withRetries(() => dbClient.query(guard));
}
