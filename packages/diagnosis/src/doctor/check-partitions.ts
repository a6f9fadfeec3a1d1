import type { PartitionFacts } from "@holdfast/state-store";
import { type Finding, fine, wrong } from "./finding.ts";

/** Each lookup by id opens all of them: a few cost nothing, many do. */
const most = 36;

/** Whether the orders of the next month have a place, and whether the past is ever dropped. */
export function checkPartitions({ months, hasNext }: PartitionFacts): readonly Finding[] {
  if (!hasNext) {
    return [
      wrong(
        "store.partitions",
        "there is no partition for the next month",
        "run a Supervisor of this release, which makes it, or: select state.make_partitions()",
      ),
    ];
  }
  if (months > most) {
    return [
      wrong(
        "store.partitions",
        `there are partitions for ${months} months`,
        "set RETENTION of the Supervisors",
      ),
    ];
  }
  return [fine("store.partitions", `partitions for ${months} months, the next one among them`)];
}
