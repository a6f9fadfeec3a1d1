/** A file below the top of the control groups, and what is written to it. */
type Writing = readonly [file: string, text: string];

/** One of the two ways in which Linux has groups of processes that share a limit. */
export interface ControlGroups {
  /** The folder in which their top is mounted. */
  readonly folder: string;
  /** What holds a group that is there already to this share of a core, in this order. */
  readonly limit: (group: string, share: number) => readonly Writing[];
}

/** Microseconds of CPU: the least that Linux gives at a time. With more, pauses would be longer. */
const quota = 1_000;
/** Microseconds after which it is given again. */
const period = (share: number): number => Math.round(quota / share);

export const version1: ControlGroups = {
  folder: "/sys/fs/cgroup/cpu",
  limit: (group, share) => [
    [`${group}/cpu.cfs_period_us`, `${period(share)}`],
    [`${group}/cpu.cfs_quota_us`, `${quota}`],
  ],
};

export const version2: ControlGroups = {
  folder: "/sys/fs/cgroup",
  limit: (group, share) => [
    ["cgroup.subtree_control", "+cpu"],
    [`${group}/cpu.max`, `${quota} ${period(share)}`],
  ],
};
