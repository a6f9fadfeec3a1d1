import { expect, test } from "@jest/globals";
import { instructionsIn } from "./count-instructions.ts";

test("the count of perf is the first field of the event's line", () => {
  expect(instructionsIn("\n1234567,,instructions:u,2000,100.00,,\n")).toBe(1_234_567);
});

test.each([
  "<not supported>,,instructions:u,0,100.00,,\n",
  "<not counted>,,instructions:u,0,,\n",
  "",
])("there is no count in %j", (output) => {
  expect(instructionsIn(output)).toBeNull();
});
