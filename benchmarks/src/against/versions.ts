import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkOut, describeThis } from "@holdfast/processes";
import { repository } from "@holdfast/test-servers";

/** A version of Holdfast that can be measured. */
export interface Version {
  /** What it is called in figures. */
  readonly title: string;
  /** The program that starts it, which is one of a contender. */
  readonly program: string;
}

/** The folders of the program, from the newest commits to the oldest. */
const places = ["benchmarks/src", "packages/bench/src"];
const program = "peers/contenders/holdfast.ts";

/** The version that is measured by itself otherwise: the files of this folder. */
export async function thisVersion(): Promise<Version> {
  return { title: await describeThis(), program: programIn(repository) };
}

/**
 * Checks a commit out and installs its packages. Throws if it has no program to be measured by, as
 * commits before the comparison with peers have none.
 */
export async function versionOf(commit: string, say: (line: string) => void): Promise<Version> {
  const { title, root } = await checkOut(commit, say);
  return { title, program: programIn(root) };
}

function programIn(folder: string): string {
  const found = places.map((place) => join(folder, place, program)).find(existsSync);
  if (found === undefined) throw new Error(`${folder} has no ${program} to be measured by`);
  return found;
}
