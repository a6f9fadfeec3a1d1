import { mutants } from "./mutants.ts";
import type { Mutation } from "./mutation.ts";
import { simulate } from "./simulate.ts";
import { turn } from "./tally.ts";

/** How a mutant fared. */
export interface Hunt {
  readonly mutant: string;
  /** How many schedules it took; null: it has survived them all. */
  readonly schedules: number | null;
  /** The rule by which it was found. */
  readonly rule: string | null;
}

/** Schedules that a mutant may survive: several times what the best hidden one needs. */
const timeout = 60_000;

/** The mutants of a tenth, from 0 to 9; null: all. */
export const mutantsOf = (tenth: number | null): readonly (readonly [string, Mutation])[] =>
  Object.entries(mutants).filter((_, index) => tenth === null || index % 10 === tenth);

/** Has the simulation look for each mutant of a tenth. */
export async function killMutants(first: number, tenth: number | null): Promise<readonly Hunt[]> {
  const hunts: Hunt[] = [];
  for (const [mutant, mutation] of mutantsOf(tenth)) {
    hunts.push({ mutant, ...(await hunt(mutation, first)) });
  }
  return hunts;
}

async function hunt(mutation: Mutation, first: number): Promise<Omit<Hunt, "mutant">> {
  for (let schedules = 1; schedules <= timeout; schedules += 1) {
    const { violations } = await simulate(first + schedules - 1, { mutation });
    const [found] = violations;
    if (found !== undefined) return { schedules, rule: found.rule };
    await turn();
  }
  return { schedules: null, rule: null };
}
