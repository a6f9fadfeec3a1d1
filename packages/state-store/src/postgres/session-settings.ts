import { escapeLiteral } from "pg";

/**
 * What gives statements and their answers one meaning, whatever the server, the database or the login has as its default:
 * how instants are written and read, what a transaction sees, and where names lead.
 */
export const sessionSettings: readonly (readonly [name: string, value: string])[] = [
  ["datestyle", "ISO, MDY"],
  ["intervalstyle", "postgres"],
  ["timezone", "UTC"],
  ["default_transaction_isolation", "read committed"],
  // The first is there where a clock is set: by `holdfast dev`, and by tests. Only the owner of a database makes schemas.
  ["search_path", "holdfast_clock, pg_catalog"],
  ["bytea_output", "hex"],
  ["extra_float_digits", "1"],
  ["array_nulls", "on"],
  ["standard_conforming_strings", "on"],
  // The driver is to see that a standby did not confirm a commit, which is a warning.
  ["client_min_messages", "notice"],
];

/** The settings as start-up options of a connection. */
export const sessionOptions: readonly string[] = sessionSettings.map(
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
