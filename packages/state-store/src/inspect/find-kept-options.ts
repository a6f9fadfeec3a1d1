import { openPool } from "../postgres/pool.ts";
import { plannerSettings, sessionSettings } from "../postgres/session-settings.ts";
import { withRetries } from "../postgres/transaction.ts";

/** What becomes of the options that every service gives its connections. */
export type KeptOptions = "kept" | "lost" | "refused";

const wanted: Readonly<Record<string, string>> = Object.fromEntries([
  ...plannerSettings.map((setting) => setting.split("=")),
  ...sessionSettings,
]);

/** Connects as a service does, and looks whether its options reached the session. */
export async function findKeptOptions(connection: {
  readonly url: string;
  readonly applicationName: string;
}): Promise<KeptOptions> {
  const pool = openPool({ ...connection, maxConnections: 1 });
  try {
    const { rows } = await withRetries(() =>
      pool.query<{ name: string; value: string }>({
        text: "select name, current_setting(name) as value from unnest($1::text[]) as name",
        values: [Object.keys(wanted)],
      }),
    );
    return rows.every(({ name, value }) => wanted[name] === value) ? "kept" : "lost";
  } catch {
    // Without those options we were let in: see `findPooler`.
    return "refused";
  } finally {
    await pool.end();
  }
}
