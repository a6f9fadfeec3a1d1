import type { StepFacts } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { turnOf } from "./turn-of.ts";

const first = {
  band: 2,
  fairnessKey: null,
  fairnessWeight: null,
  dueBefore: [0, 0, 0],
  keysBefore: [],
  approvals: null,
} as unknown as StepFacts;

test.each<[string, Partial<StepFacts>, string]>([
  ["that is the next", {}, "It is in the band normal: 0 are due before it."],
  [
    "behind steps of several bands",
    { band: 3, dueBefore: [1, 0, 20, 3] },
    "It is in the band batch: 24 are due before it (undo 1, normal 20, batch 3).",
  ],
  [
    "with a key, behind other keys",
    {
      fairnessKey: "ann",
      fairnessWeight: 2,
      dueBefore: [0, 0, 9],
      keysBefore: [
        { key: "bob", steps: 5 },
        { key: 'e"ve', steps: 4 },
      ],
    },
    'It is in the band normal with the fairness key "ann" of weight 2: 9 are due before it (normal 9), most in its band of the keys "bob" 5, "e\\"ve" 4.',
  ],
])("the turn of a step %s names its band, and who is ahead", (_, changes, sentence) => {
  expect(turnOf({ ...first, ...changes })).toBe(sentence);
});
