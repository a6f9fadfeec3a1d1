import { expect, test } from "@jest/globals";
import { pathOf } from "./repository.ts";

const { messageFaults } = (await import(pathOf("tools/commit-message.mjs"))) as {
  readonly messageFaults: (message: string) => readonly string[];
};
const longestSubject = 72;

test.each([
  "Fold files with one importer into it",
  "Scheduler: Keep the order of replies",
  "Scheduler: keep the order of replies\n\nA body that says why.\n",
  "Packages/cli, docs: Add a verb",
  "Merge branch 'main'",
  'Revert "Add a verb"',
  "fixup! Add a verb",
  "Add a verb\n# A comment of git\n# Another one",
  `Add ${"x".repeat(longestSubject - 4)}`,
])("the message %j is taken", (message) => {
  expect(messageFaults(message)).toEqual([]);
});

test.each([
  ["", /missing/],
  ["# Only comments", /missing/],
  [`Add ${"x".repeat(longestSubject - 3)}`, /73 characters, 72 at most/],
  ["Added a verb", /begins with "Added"/],
  ["Scheduler: the order of replies is kept", /begins with "the"/],
  ["Adds a verb", /begins with "Adds"/],
  ["Adding a verb", /begins with "Adding"/],
  ["add a verb", /small letter/],
  ["Add a verb.", /full stop/],
  ["Add a verb\nand another", /second line/],
])("the message %j is refused with what to do", (message, said) => {
  expect(messageFaults(message)).toEqual([expect.stringMatching(said)]);
});
