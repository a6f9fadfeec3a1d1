import { expect, test } from "@jest/globals";
import { readPhases, statementsOf } from "./migration-files.ts";

test("a migration without phases is one transaction", () => {
  expect(readPhases("select 1;")).toEqual([{ mode: "transaction", locks: [], sql: "select 1;" }]);
});

test("each phase begins with a line that says how it runs, and what it locks", () => {
  const text = `-- Why.
-- phase: apart
-- Rarely used.
create index concurrently a on b (c);
create index concurrently d
  on e (f);
-- phase: locks state.tasks, state.steps
drop index g;
`;
  const phases = readPhases(text);
  expect(phases).toEqual([
    { mode: "apart", locks: [], sql: expect.stringContaining("create index") },
    { mode: "transaction", locks: ["state.tasks", "state.steps"], sql: "\ndrop index g;\n" },
  ]);
  expect(statementsOf(phases[0]!)).toEqual([
    "create index concurrently a on b (c)",
    "create index concurrently d\n  on e (f)",
  ]);
});

test.each([
  ["an unknown phase", "-- phase: quickly\nselect 1;", "Unknown phase of a migration: quickly"],
  ["a lock on something that is no table", "-- phase: locks a; drop b\nselect 1;", "Unknown phase"],
  [
    "SQL before the first phase",
    "-- Why.\nselect 1;\n-- phase: online\nselect 2;",
    "before the first",
  ],
  ["a last phase that is no transaction", "-- phase: apart\nselect 1;", "last phase"],
])("%s is refused", (_, text, message) => {
  expect(() => readPhases(text)).toThrow(message);
});
