import { expect, test } from "@jest/globals";
import { missingReason, rewriteExceptions, unexplained } from "./exceptions.ts";
import { findCircles } from "./find-circles.ts";
import { findForbiddenImports } from "./find-forbidden-imports.ts";
import { findOversize } from "./find-oversize.ts";
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

test("a file of 501 lines and a function of 61 lines are too long, and the function has a name", () => {
  const { modules } = workspaceOf({
    "packages/domain/src/long.ts": lines(501),
    "packages/domain/src/right.ts": lines(500),
    "packages/domain/src/open.ts": `const open = () => ({\nclose() {\n${lines(59)}},\n});`,
    "packages/domain/src/open.test.ts": `test(() => {\n${lines(100)}});`,
  });
  expect(findOversize(modules).map(({ subject }) => subject)).toEqual([
    "packages/domain/src/long.ts",
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

test("a finding without an exception and an exception without a finding are both reported", () => {
  const finding = { rule: "file size", subject: "a.ts", message: "a.ts is long" } as const;
  const stale = { rule: "file size", reason: "old", subjects: ["b.ts"] } as const;
  expect(unexplained([finding], [stale])).toEqual([
    "file size: a.ts is long",
    "stale exception: file size: b.ts: remove it from exceptions.json",
  ]);
  expect(rewriteExceptions([finding], [stale])).toEqual([
    { rule: "file size", reason: missingReason, subjects: ["a.ts"] },
  ]);
});
