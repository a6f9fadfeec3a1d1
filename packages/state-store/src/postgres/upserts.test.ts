import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { statementFiles } from "./query.ts";

/** Statements whose rows need no order. */
const exempt: Readonly<Record<string, string>> = {
  "save-outcomes": "its transaction has locked the tasks of these rows, in the order of their ids",
  "close-dead-letter": "it is one row",
  "hold-signal": "it is one row",
};

/**
 * What stands between each `insert into` and its `on conflict`, of inserts that take rows from a
 * query.
 */
const upsertsOf = (sql: string): readonly string[] =>
  sql
    .replace(/--.*$/gm, "")
    .split(/\binsert into\b/)
    .slice(1)
    .flatMap((insert) => {
      const [rows, ...conflicts] = insert.split(/\bon conflict\b/);
      return conflicts.length > 0 && /\bselect\b/.test(rows!) ? [rows!] : [];
    });

const upserts = [...statementFiles].flatMap(([name, file]) =>
  upsertsOf(readFileSync(file, "utf8")).map((rows) => ({ name, rows })),
);

test("rows that others may write at the same time are written in one order, so that no two statements deadlock", () => {
  const unordered = upserts.filter(({ rows }) => !/\border by\b/.test(rows));
  expect(unordered.map(({ name }) => name)).toEqual(Object.keys(exempt));
});
