import { Client, type QueryResultRow } from "pg";

/**
 * Long enough for a process that gets no processor for seconds: the server may have answered, and
 * it did not look yet.
 */
const connectWithinMs = 30_000;

/** A connection that runs one statement after the other. */
export interface Queries extends AsyncDisposable {
  query<Row extends QueryResultRow>(statement: string, values?: unknown[]): Promise<readonly Row[]>;
}

/**
 * Connects. For what asks again and again: a connection costs the server more than most statements.
 */
export async function openQueries(url: string): Promise<Queries> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: connectWithinMs });
  // Without a listener, a server that is killed under the connection would end this process.
  client.on("error", () => {});
  const end = (): Promise<void> => client.end().catch(() => {});
  try {
    await client.connect();
  } catch (error) {
    await end();
    throw error;
  }
  return {
    async query<Row extends QueryResultRow>(statement: string, values: unknown[] = []) {
      const { rows } = await client.query<Row>(statement, values);
      return rows;
    },
    [Symbol.asyncDispose]: end,
  };
}

/** Runs one statement on a connection of its own. */
export async function queryOnce<Row extends QueryResultRow>(
  url: string,
  statement: string,
  values: unknown[] = [],
): Promise<readonly Row[]> {
  await using queries = await openQueries(url);
  return await queries.query<Row>(statement, values);
}
