import { expect, test } from "@jest/globals";
import { missingReason, rewriteExceptions, unexplained } from "./exceptions.ts";
import { findCircles } from "./find-circles.ts";
import { findForbiddenImports } from "./find-forbidden-imports.ts";
import { findFragments } from "./find-fragments.ts";
import { findOversize } from "./find-oversize.ts";
import { findWideComments } from "./find-wide-comments.ts";
import { parseModule } from "./parse-module.ts";
import type { Workspace } from "./workspace.ts";

const packages = [
  {
    folder: "packages/domain",
    name: "@holdfast/domain",
    entries: { "": "packages/domain/src/index.ts" },
  },
  {
    folder: "packages/agent",
    name: "@holdfast/agent",
    entries: { "": "packages/agent/src/index.ts" },
  },
  { folder: "services/scheduler", name: "@holdfast/scheduler-service", entries: {} },
];

/** A workspace with these files and nothing else. */
function workspaceOf(files: Readonly<Record<string, string>>): Workspace {
  const modules = Object.entries(files).map(([path, text]) => parseModule(path, text));
  return { packages, modules };
}

const lines = (count: number) => "f();\n".repeat(count);

test("type-only imports close a circle", () => {
  const workspace = workspaceOf({
    "packages/domain/src/a.ts": 'import type { B } from "./b.ts";',
    "packages/domain/src/b.ts": 'export type { A } from "./c.ts";',
    "packages/domain/src/c.ts": 'export type C = import("./a.ts").A;',
    "packages/domain/src/d.ts": 'import { a } from "./a.ts";',
  });
  expect(findCircles(workspace).map(({ subject }) => subject)).toEqual([
    "packages/domain/src/a.ts packages/domain/src/b.ts packages/domain/src/c.ts",
  ]);
});

test("two packages that import each other are a circle, even if no two modules are", () => {
  const workspace = workspaceOf({
    "packages/domain/src/index.ts": "",
    "packages/agent/src/index.ts": "",
    "packages/domain/src/a.ts": 'await import("@holdfast/agent");',
    "packages/agent/src/a.ts": 'import "@holdfast/domain";',
  });
  expect(findCircles(workspace).map(({ subject }) => subject)).toEqual([
    "packages/agent packages/domain",
  ]);
});

test("a function of 61 lines is too long, and has a name; a file is as long as its subject", () => {
  const { modules } = workspaceOf({
    "packages/domain/src/long.ts": lines(5_000),
    "packages/domain/src/open.ts": `const open = () => ({\nclose() {\n${lines(59)}},\n});`,
    "packages/domain/src/said.ts": `const said = () => {\n${"// Why.\n".repeat(100)}f();\n}`,
    "packages/domain/src/open.test.ts": `test(() => {\n${lines(100)}});`,
  });
  expect(findOversize(modules).map(({ subject }) => subject)).toEqual([
    "packages/domain/src/open.ts open",
    "packages/domain/src/open.ts open.close",
  ]);
});

test.each([
  ["services/scheduler/src/a.ts", "@holdfast/agent", "direction"],
  ["packages/domain/src/a.ts", "node:fs", "third party"],
  ["packages/agent/src/a.ts", "pg", "third party"],
  ["packages/agent/src/a.ts", "../../domain/src/index.ts", "entry"],
])("%s must not import %s", (path, specifier, rule) => {
  const files = { "packages/agent/src/index.ts": "", "packages/domain/src/index.ts": "" };
  const found = findForbiddenImports(workspaceOf({ ...files, [path]: `import "${specifier}";` }));
  expect(found).toMatchObject([{ rule, subject: `${path} ${specifier}` }]);
});

const openingsIn = (text: string) =>
  findFragments(workspaceOf({ "packages/domain/src/a.ts": text }).modules).map(
    ({ message }) => /"(.*)"/.exec(message)?.[1],
  );

test.each([
  ["Of the Agent's queue.", "Of"],
  ["Where the broker is, and who looks.", "Where"],
  ["For how long a breaker is open.", "For"],
  ["So many heartbeats in each `workMs`.", "So"],
  ["Those that changed.", "Those"],
  ["Only one line of JSON.", "Only"],
  ["Null: it is not known.", "Null"],
  ["Empty: the default exchange.", "Empty"],
  ["The same, for machines.", "The same"],
  ["The same for machines.", "The same"],
])("a doc comment that begins with %s is a fragment", (comment, opening) => {
  expect(openingsIn(`/** ${comment} */\nconst a = 1;`)).toEqual([opening]);
  expect(openingsIn(`/**\n * ${comment}\n * More.\n */\nconst a = 1;`)).toEqual([opening]);
});

test.each([
  "Reads every package.",
  "Milliseconds between two reads.",
  "An order as it is submitted over HTTP.",
  "Whether the queue is there.",
  "What the last probe met with; null: nothing is known to be wrong.",
  "The same schema with a type wherever it has none.",
  "Empty tables.",
  "Office hours.",
  '@type {import("jest").Config}',
])("a doc comment that begins as in: %s names its thing", (comment) => {
  expect(openingsIn(`/** ${comment} */\nconst a = 1;`)).toEqual([]);
});

test("comments of other kinds and texts in quotes are no doc comments", () => {
  expect(openingsIn('// Of all.\n/* Of all. */\nconst a = "/** Of all. */";')).toEqual([]);
});

test("a fragment is found with its file and line", () => {
  const text = "const a = 1;\n\ninterface B {\n  /** Of all. */\n  readonly c: string;\n}";
  const { modules } = workspaceOf({ "packages/domain/src/a.ts": text });
  expect(findFragments(modules)).toMatchObject([
    { rule: "doc comment", message: expect.stringMatching(/^packages\/domain\/src\/a\.ts:4: /) },
  ]);
});

const words = (columns: number) => "word ".repeat(columns / 5).trimEnd();

test.each([
  ["a line of slashes", `// ${words(100)}`, [1]],
  ["a doc comment, in its middle", `/**\n * short\n * ${words(100)}\n */`, [3]],
  ["a comment after code", `const a = 1; // ${words(90)}`, [1]],
  ["100 columns", `// ${words(95)}.`, []],
  ["a text with slashes", `const a = "// ${words(200)}";`, []],
  ["an address", `// https://example.org/${"a".repeat(100)}`, []],
  ["what a tool reads", `// biome-ignore lint: ${words(100)}`, []],
])("%s is held to 100 columns of comment", (_, text, expected) => {
  const { modules } = workspaceOf({ "packages/domain/src/a.ts": `${text}\nf();` });
  const found = findWideComments(modules).map(({ message }) => Number(message.split(":")[1]));
  expect(found).toEqual(expected);
});

test("a finding without an exception and an exception without a finding are both reported", () => {
  const finding = { rule: "function size", subject: "a.ts", message: "a.ts is long" } as const;
  const stale = { rule: "function size", reason: "old", subjects: ["b.ts"] } as const;
  expect(unexplained([finding], [stale])).toEqual([
    "function size: a.ts is long",
    "stale exception: function size: b.ts: remove it from exceptions.json",
  ]);
  expect(rewriteExceptions([finding], [stale])).toEqual([
    { rule: "function size", reason: missingReason, subjects: ["a.ts"] },
  ]);
});
