import type { PostgresServer } from "../server.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import { findPostgresBinaries } from "./postgres-binaries.ts";

/**
 * Starts a Postgres of a test's own, whose superuser is `postgres`: for what concerns a whole
 * server, such as its roles or its certificates.
 */
export async function startPostgres({
  dataFolder,
}: {
  readonly dataFolder: string;
}): Promise<PostgresServer> {
  const binaries = findPostgresBinaries();
  if (binaries === null) throw new Error("There is no embedded Postgres for this machine.");
  return await startEmbeddedPostgres(binaries, { dataFolder, purpose: "test", user: "postgres" });
}
