import { openPool } from "../postgres/pool.ts";
import { withRetries } from "../postgres/retry.ts";

/** What becomes of the options that every service gives its connections. */
export type KeptOptions = "kept" | "lost" | "refused";

/** Connects as a service does, and looks whether its options reached the session. */
export async function findKeptOptions(connection: {
  readonly url: string;
  readonly applicationName: string;
}): Promise<KeptOptions> {
  const pool = openPool({ ...connection, maxConnections: 1 });
  try {
    const { rows } = await withRetries(() =>
      pool.query<{ mode: string }>("select current_setting('plan_cache_mode') as mode"),
    );
    return rows[0]?.mode === "force_generic_plan" ? "kept" : "lost";
  } catch {
    // Without those options we were let in: see `findPooler`.
    return "refused";
  } finally {
    await pool.end();
  }
}
