import type { InjectedFault } from "./faults.ts";

/** Takes a fault of this kind that matches, and counts it down; null: none is left. */
export type TakeFault = <Kind extends InjectedFault["kind"]>(
  kind: Kind,
  matches: (fault: Extract<InjectedFault, { kind: Kind }>) => boolean,
) => Extract<InjectedFault, { kind: Kind }> | null;

/** Counts how often each fault is still to happen. */
export function remainingFaults(faults: readonly InjectedFault[]): TakeFault {
  const left = new Map(faults.map((fault) => [fault, fault.times]));
  return <Kind extends InjectedFault["kind"]>(
    kind: Kind,
    matches: (fault: Extract<InjectedFault, { kind: Kind }>) => boolean,
  ) => {
    for (const [fault, times] of left) {
      const found = fault as Extract<InjectedFault, { kind: Kind }>;
      if (fault.kind !== kind || times === 0 || !matches(found)) continue;
      left.set(fault, times - 1);
      return found;
    }
    return null;
  };
}
