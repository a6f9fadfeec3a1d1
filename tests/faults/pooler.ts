import { readFile } from "node:fs/promises";
import { type StoreRole, storeRoles } from "@holdfast/processes";
import { findPgbouncer, type Pgbouncer, startPgbouncer } from "@holdfast/test-servers";

const guide = new URL("../../docs/guides/operations.md", import.meta.url);

/**
 * PgBouncer between the services and Postgres, as docs/guides/operations.md says that it must be
 * set up.
 */
export async function startPooler(
  url: string,
  dataFolder: string,
): Promise<AsyncDisposable & { readonly urlOf: (role: StoreRole) => string }> {
  const program = findPgbouncer();
  if (program === null)
    throw new Error("PgBouncer is not installed: install the package pgbouncer.");
  const [, settings] = /connect_query='([^']+)'/.exec(await readFile(guide, "utf8")) ?? [];
  if (settings === undefined)
    throw new Error("docs/guides/operations.md has no connect_query any more.");
  // Each service has a login of its own where Holdfast is deployed; here each has a name of the
  // database. It begins with the database's own: another PgBouncer that got the same port first
  // must not answer to it.
  const nameOf = (user: StoreRole | "owner") => `${new URL(url).pathname.slice(1)}_${user}`;
  const queries = storeRoles.map((role) => [nameOf(role), `set role ${role}; ${settings}`]);
  const pgbouncer: Pgbouncer = await startPgbouncer(program, {
    url,
    connectQueries: { [nameOf("owner")]: "select 1", ...Object.fromEntries(queries) },
    dataFolder,
  });
  return {
    urlOf: (role) => `${pgbouncer.urlOf(nameOf(role))}?pooler=transaction`,
    [Symbol.asyncDispose]: () => pgbouncer[Symbol.asyncDispose](),
  };
}
