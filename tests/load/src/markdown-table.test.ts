import { expect, test } from "@jest/globals";
import { markdownTable } from "./markdown-table.ts";

test("every cell of a column is as wide as its widest cell, and at least three characters", () => {
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
