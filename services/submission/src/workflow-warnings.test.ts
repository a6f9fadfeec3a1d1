import { expect, test } from "@jest/globals";
import { warningsOf } from "./workflow-warnings.ts";

const book = { agent: "hotels", operation: "book", undo: null };
const hotels = (operations: readonly string[] | null) => ({
  agent: "hotels",
  knownFor: 1,
  operations,
  isSilent: false,
});

test("an Agent and an operation that several steps need are named once", () => {
  const steps = [book, book];
  expect(warningsOf({ steps }, [])).toEqual([
    "No Agent hotels has ever announced itself: its steps wait until one does.",
  ]);
  expect(warningsOf({ steps }, [hotels([])])).toEqual([
    "The Agent hotels has not announced the operation book. It announced: none.",
  ]);
});

test("an Agent with many operations is shown with those of the nearest names", () => {
  const operations = ["cancel", "move", "boo", "extend", "describe", "pay", "refund"];
  const [warning] = warningsOf({ steps: [book] }, [hotels(operations)]);
  expect(warning).toMatch(/It announced: boo, .* and 2 more\.$/);
});

test("an Agent that does not say which operations it has gets no warning", () => {
  expect(warningsOf({ steps: [book] }, [hotels(null)])).toEqual([]);
});
