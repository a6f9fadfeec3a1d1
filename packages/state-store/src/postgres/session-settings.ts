import { escapeLiteral } from "pg";

/**
 * What gives statements and their answers one meaning, whatever the server, the database or the
 * login has as its default: how instants are written and read, what a transaction sees, and where
 * names lead.
 */
export const sessionSettings: readonly (readonly [name: string, value: string])[] = [
  ["datestyle", "ISO, MDY"],
  ["intervalstyle", "postgres"],
  ["timezone", "UTC"],
  ["default_transaction_isolation", "read committed"],
  // The first is there where a clock is set: by `holdfast dev`, and by tests. Only the owner of a
  // database makes schemas.
  ["search_path", "holdfast_clock, pg_catalog"],
  ["bytea_output", "hex"],
  ["extra_float_digits", "1"],
  ["array_nulls", "on"],
  ["standard_conforming_strings", "on"],
  // The driver is to see that a standby did not confirm a commit, which is a warning.
  ["client_min_messages", "notice"],
];

/** The settings as start-up options of a connection. */
const sessionOptions: readonly string[] = sessionSettings.map(
  ([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`,
);

/** Statements that make the settings: for a session, or for a transaction. */
export const setSession = (scope: "session" | "local"): string =>
  sessionSettings
    // A transaction has its isolation by then.
    .filter(([name]) => scope === "session" || name !== "default_transaction_isolation")
    .map(([name, value]) => `set ${scope} ${name} = ${settingText(name, value)}`)
    .join("; ");

/** A list is no text: quoted as one it would be a single name. */
const settingText = (name: string, value: string): string =>
  name === "search_path" ? value : escapeLiteral(value);

/**
 * Every statement here has one good plan, whatever its parameters and however large the tables:
 * nested loops over indexes. Left to itself the planner plans the claim anew each time, which takes
 * longer than the claim, or keeps a plan that it made when the tables were empty. Asked for at the
 * start of a connection, so no session state is needed.
 */
export const plannerSettings = [
  "plan_cache_mode=force_generic_plan",
  "enable_seqscan=off",
  "enable_hashjoin=off",
  "enable_mergejoin=off",
  // What is read in an order has an index in that order, and is read no further than asked for.
  "enable_bitmapscan=off",
  "enable_sort=off",
  // Before Postgres 18 what is off counts as very expensive, which would have each plan compiled.
  "jit=off",
];

/** One of `storeUrls` with the settings of each session as start-up options. */
export function withPlannerSettings(url: string): string {
  const address = new URL(url);
  const asked = address.searchParams.get("options") ?? "";
  const options = [asked, ...plannerSettings.map((setting) => `-c ${setting}`), ...sessionOptions];
  address.searchParams.set("options", options.join(" ").trim());
  return address.href;
}
