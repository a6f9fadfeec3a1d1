import { expect, test } from "@jest/globals";
import { markdownTable } from "./markdown-table.ts";

test("all cells of a column are as wide as the widest, and three at least", () => {
  const table = markdownTable(
    ["", "a"],
    [
      ["first", "1"],
      ["2nd", "12"],
    ],
  );
  expect(table).toBe(`|       | a   |
| ----- | --- |
| first | 1   |
| 2nd   | 12  |`);
});
