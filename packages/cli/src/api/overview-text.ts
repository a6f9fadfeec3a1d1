import type { components } from "@holdfast/client";
import { table } from "./print.ts";

type Overview = components["schemas"]["Overview"];

/**
 * An overview for people: how many tasks there are, what needs them, and how the Agents do. What another release
 * leaves out is left out.
 */
export function overviewText({
  states = {} as Overview["states"],
  needsYou = [],
  agents = [],
}: Partial<Overview>): string {
  const counts = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  const needs = needsYou.map(({ sentence, act }) => `! ${[sentence, act ?? ""].join(" ").trim()}`);
  const columns = ["name", "instances", "slots", "inFlight", "due", "p95Ms", "breaker", "paused"];
  return [counts.join(", "), ...needs, table(agents, columns)].filter((part) => part).join("\n");
}
