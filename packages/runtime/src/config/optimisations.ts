import { ContractFault } from "@holdfast/domain";

/**
 * The optimisations that Holdfast can do without, so that a benchmark can measure what each gives:
 * the task cache and the scan window of the store, bundles of messages, reply queues that one
 * Scheduler owns, and marks of dispatched steps that wait for replies.
 */
export const optimisationNames = [
  "taskCache",
  "scanWindow",
  "bundles",
  "ownReplyQueue",
  "lateConfirms",
] as const;

/** Whether each optimisation is on. */
export type Optimisations = Readonly<Record<(typeof optimisationNames)[number], boolean>>;

/**
 * Reads `HOLDFAST_WITHOUT`, such as `taskCache,bundles`: all optimisations are on but those. Throws
 * `config.invalid` for a name that is not one of them.
 */
export function readOptimisations(text = ""): Optimisations {
  const without = text.split(",").filter((name) => name !== "");
  const unknown = without.filter(
    (name) => !(optimisationNames as readonly string[]).includes(name),
  );
  if (unknown.length > 0) {
    throw new ContractFault(
      "config.invalid",
      `HOLDFAST_WITHOUT: there is no optimisation ${unknown.join(", ")}; there are ${optimisationNames.join(", ")}`,
    );
  }
  const isOn = optimisationNames.map((name) => [name, !without.includes(name)]);
  return Object.fromEntries(isOn) as Optimisations;
}
