import { describe, expect, test } from "@jest/globals";
import { version1, version2 } from "./control-groups.ts";

describe("a tenth of a core is a millisecond in ten", () => {
  test("is written to two files of cgroups version 1", () => {
    expect(version1.limit("scheduler", 0.1)).toEqual([
      ["scheduler/cpu.cfs_period_us", "10000"],
      ["scheduler/cpu.cfs_quota_us", "1000"],
    ]);
  });

  test("is written to one file of cgroups version 2, once the top groups limit CPU", () => {
    expect(version2.limit("scheduler", 0.1)).toEqual([
      ["cgroup.subtree_control", "+cpu"],
      ["scheduler/cpu.max", "1000 10000"],
    ]);
  });
});

test("a period is a whole number of microseconds", () => {
  expect(version2.limit("scheduler", 0.15)).toContainEqual(["scheduler/cpu.max", "1000 6667"]);
});
