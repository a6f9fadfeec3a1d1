import { count } from "@holdfast/diagnosis";
import type { Difference } from "@holdfast/messaging";

const signs = { add: "+", change: "~", remove: "-", conflict: "!" } as const;
const order = ["add", "change", "remove", "conflict"] as const;
const words = {
  add: "to add",
  change: "to change",
  remove: "to remove",
  conflict: "in conflict",
} as const;

/** How many differences of each kind, and each of them on a line. */
export function describeDifferences(
  differences: readonly Difference[],
  unserved: readonly string[],
): string {
  if (differences.length + unserved.length === 0) return "The broker is as it should be.";
  const sums = order.flatMap((action) => {
    const times = differences.filter((one) => one.action === action).length;
    return times === 0 ? [] : [`${times} ${words[action]}`];
  });
  const sorted = differences.toSorted((a, b) => order.indexOf(a.action) - order.indexOf(b.action));
  return [
    ...sorted.map(lineOf),
    ...unserved.map((sentence) => `! ${sentence}`),
    sums.length === 0 ? "The broker is as the list says." : `${sums.join(", ")}.`,
  ].join("\n");
}

const lineOf = ({ action, kind, name, detail }: Difference): string =>
  `${signs[action]} ${kind} ${name}${detail === null ? "" : `: ${detail}`}`;

/** What an import has not repaired, and what to do about it. */
export function describeLeft(left: readonly Difference[], removed: boolean): string {
  const removals = left.filter(({ action }) => action === "remove");
  const conflicts = left.filter(({ action }) => action === "conflict");
  const others = left.filter(({ action }) => action === "add" || action === "change");
  if (left.length === 0) return "Done: the broker is as it should be.";
  return [
    ...others.map((one) => `Not done: ${lineOf(one)}`),
    ...(conflicts.length === 0
      ? []
      : [
          `${count(conflicts.length, "conflict")}: stop what uses them, let the queues run empty, delete them, and apply again; make a missing user by giving its password.`,
        ]),
    ...(removals.length === 0 || removed
      ? []
      : [`${removals.length} to remove were left: say --yes to remove them, too.`]),
  ].join("\n");
}
