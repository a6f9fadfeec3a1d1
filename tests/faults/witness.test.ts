import { expect, test } from "@jest/globals";
import { reportOf, type ServiceLine } from "./witness.ts";

const line = (service: string, second: number, more: object): ServiceLine => ({
  service,
  pid: 7,
  level: 30,
  time: second * 1_000,
  msg: "said",
  ...more,
});

test("the report of a failing test has the last lines of each service, and the faults among all lines", () => {
  const log = [
    ...Array.from({ length: 60 }, (_, index) => line("scheduler", index, { msg: `line ${index}` })),
    line("agent", 60, { msg: "the test sends SIGKILL" }),
    line("agent", 61, { msg: "crashed", err: { message: "boom" }, step: "charge" }),
  ];
  const report = reportOf(log);
  expect(report).toMatch(/^scheduler 7, its last lines:\n {2}00:00:52\.000 line 52$/m);
  expect(report).toContain("agent 00:01:00.000 the test sends SIGKILL");
  expect(report).toContain("agent 00:01:01.000 crashed err=boom step=charge");
  expect(report).not.toContain("line 3\n");
});
