import { expect, test } from "@jest/globals";
import { faultSentence } from "./check-input.ts";

const wrong = { pointer: "/limit", detail: "must be a number." };
const whole = { pointer: "", detail: "must be an object" };

test.each([
  ["names its place", [wrong], "/limit must be a number."],
  ["names the whole where that is the place", [whole], "The request must be an object."],
  ["counts another one", [wrong, whole], "/limit must be a number; errors has 1 more fault."],
  [
    "counts others",
    [whole, wrong, wrong],
    "The request must be an object; errors has 2 more faults.",
  ],
  ["says as much as it knows", [], "The request is not valid."],
])("the sentence about faults %s", (_, faults, sentence) => {
  expect(faultSentence(faults)).toBe(sentence);
});
