import type { Fault } from "@holdfast/domain";

/** What to do about an error of Postgres, by its code. */
const bySqlstate: Readonly<Record<string, string>> = {
  "28P01": "Postgres refused this user and password: check STATE_STORE_URL.",
  "28000": "Postgres does not let this user connect: check STATE_STORE_URL and pg_hba.conf.",
  "3D000":
    "This database does not exist: check STATE_STORE_URL, or create it and run the migrations.",
  "3F000":
    "There is no state store in this database: check STATE_STORE_URL, or run the migrations.",
  "42P01": "This is no state store, or one of an older release: run the migrations.",
  "42703": "The state store is older than this release: run the migrations.",
  "42501": "This user may not read the state store: grant holdfast_observer to it.",
  "57014":
    "Postgres cancelled a statement that took too long: the server is overloaded, or has no statistics yet (run analyze).",
};

/** What went wrong with a server, and what to do about it. */
export function adviceFor(fault: Fault): string {
  const advice = bySqlstate[String(fault.details["sqlstate"])];
  if (advice !== undefined) return `${advice} (${fault.message})`;
  if (fault.code === "store.unavailable") {
    return `Postgres does not answer: is it running, and is STATE_STORE_URL right? (${fault.message})`;
  }
  return `${fault.message} (${fault.code})`;
}
