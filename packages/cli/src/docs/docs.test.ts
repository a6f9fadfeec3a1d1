import { expect, test } from "@jest/globals";
import { runCommand } from "../../test/run-command.ts";
import { docPages, findPage, searchDocs } from "./doc-pages.ts";

test("the pages of the repository are found, in the order in which people need them", () => {
  const names = docPages().map(({ name }) => name);
  expect(names[0]).toMatch(/^get-started\//);
  expect(names).toEqual(
    expect.arrayContaining(["guides/workflows", "reference/http", "internals/glossary"]),
  );
  expect(names.some((name) => name.startsWith("decisions/"))).toBe(false);
});

test.each(["guides/testing", "testing", "docs/guides/testing.md", "/guides/testing"])(
  "a page is found as %s",
  (asked) => {
    expect(findPage(docPages(), asked)?.title).toBe("Testing");
  },
);

test("no path leads out of the documentation", () => {
  for (const asked of ["../package.json", "../../README", "/etc/passwd", "guides/../../README"]) {
    expect(findPage(docPages(), asked)).toBeNull();
  }
});

test("a search finds lines with all words, those under a heading with them first", () => {
  const [first, ...others] = searchDocs(docPages(), "long operations", 50);
  expect(first?.heading).toBe("Long operations");
  expect(others.length).toBeGreaterThan(0);
  expect(searchDocs(docPages(), "heartbeat zebra", 10)).toEqual([]);
  expect(searchDocs(docPages(), "  ", 10)).toEqual([]);
});

test("the command lists pages, prints one, and names them all when there is none of that name", async () => {
  const docs = (...args: readonly string[]) => runCommand(["docs", ...args], {});
  const listed = await docs();
  expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("guides/agents") });
  const printed = await docs("guides/agents");
  expect(printed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^# Agents/) });
  const unknown = await docs("guides/nothing");
  expect(unknown).toMatchObject({
    exitCode: 3,
    stdout: "",
    stderr: expect.stringContaining("guides/workflows"),
  });
  expect(await docs("--search", "zebra")).toMatchObject({ exitCode: 3 });
  expect(await docs("--find", "x")).toMatchObject({ exitCode: 2, stdout: "" });
});

test("an installation without its documentation says so by an empty list", () => {
  expect(docPages(null)).toEqual([]);
});
