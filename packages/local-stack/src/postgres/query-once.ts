import { Client, type QueryResultRow } from "pg";

/** Long enough for a process that gets no processor for seconds: the server may have answered, and it did not look yet. */
const connectWithinMs = 30_000;

/** Runs one statement on a connection of its own. */
export async function queryOnce<Row extends QueryResultRow>(
  url: string,
  statement: string,
): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: connectWithinMs });
  // Without a listener, a server that is killed under the connection would end this process.
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<Row>(statement);
    return rows;
  } finally {
    await client.end().catch(() => {});
  }
}
