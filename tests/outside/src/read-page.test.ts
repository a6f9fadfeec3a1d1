import { expect, test } from "@jest/globals";
import { readPage } from "./read-page.ts";

test("the page about the first workflow says what to type, press, change and stop, in this order", () => {
  const instructions = readPage("docs/get-started/your-workflow.md");
  expect(instructions.map((one) => (one.kind === "key" ? one.key : one.kind))).toEqual([
    "command",
    "command",
    "command",
    "s",
    "d",
    "k",
    "w",
    "t",
    "edit",
    "s",
    "edit",
    "edit",
    "command",
    "command",
    "stop",
  ]);
});
