import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Trip } from "./start-travel.ts";

/** What the remote services' own ledgers say of the trips. */
export interface Effects {
  /** Effects that a trip that was booked lacks. */
  readonly lost: number;
  /** Effects that a trip has twice, or that remain of a trip that was undone. */
  readonly doubled: number;
}

const services = ["flights", "hotels", "cards", "mail"];

/** Counts in the ledgers of the example: a file for each key, with a line for each effect. */
export function countEffects(folder: string, trips: readonly Trip[]): Effects {
  let [lost, doubled] = [0, 0];
  for (const service of services) {
    const standing = standingEffects(join(folder, "ledger", service));
    for (const { id, state } of trips) {
      const excess = (standing.get(id) ?? 0) - (state === "processed" ? 1 : 0);
      if (excess < 0) lost += 1;
      if (excess > 0) doubled += 1;
    }
  }
  return { lost, doubled };
}

/** How many effects stand, for each task: made, and not undone. */
function standingEffects(folder: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    const [task = ""] = decodeURIComponent(file).split(":");
    const lines = readFileSync(join(folder, file), "utf8").trimEnd().split("\n");
    const made = lines.filter((line) => line !== "undone").length;
    found.set(task, (found.get(task) ?? 0) + (lines.at(-1) === "undone" ? 0 : made));
  }
  return found;
}
