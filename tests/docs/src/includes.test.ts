import { expect, test } from "@jest/globals";
import { markdownFiles, readFile } from "./repository.ts";

/** A block of code that is a file of this repository, and must stay the same. */
const include = /^<!-- include (\S+) -->\n\n```\w+\n([\s\S]*?)^```$/gm;

const included = markdownFiles.flatMap((page) =>
  [...readFile(page).matchAll(include)].map(([, file = "", text = ""]) => ({ page, file, text })),
);

test.each(included)("$page shows the whole of $file, as it is", ({ file, text }) => {
  expect(text).toBe(readFile(file));
});

test("the guide for Agents in any language holds a whole program", () => {
  const guide = "docs/guides/agents-in-any-language.md";
  const files = included.filter(({ page }) => page === guide).map(({ file }) => file);
  expect(files).toContain("examples/languages/python/badges_agent.py");
});
