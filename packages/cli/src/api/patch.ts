import { changeWords, type JsonPatch, readChange } from "@holdfast/domain";
import { own } from "./own-options.ts";
import { UsageError } from "./usage-error.ts";
import type { Invocation } from "./verb.ts";

/** The options that change the input of a step. */
export const patchOptions = own("set", "unset");

/** The changes that were asked for; undefined: none was. */
export function patchOf({ texts }: Pick<Invocation, "texts">): JsonPatch | undefined {
  const set = texts("set").map((line) => {
    const change = line.startsWith("-") ? null : readChange(line);
    if (change !== null) return change;
    throw new UsageError(`--set ${line} must be ${changeWords.replace(/, -.*$/, "")}`);
  });
  const unset = texts("unset").map((place) => {
    const change = readChange(`-${place}`);
    if (change !== null) return change;
    throw new UsageError(`--unset ${place} must be a place, such as note or lines/0/sku`);
  });
  const patch = [...set, ...unset];
  return patch.length === 0 ? undefined : patch;
}
