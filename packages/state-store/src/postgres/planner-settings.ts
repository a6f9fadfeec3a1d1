import { sessionOptions } from "./session-settings.ts";

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
