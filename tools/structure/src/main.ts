import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Exceptions, missingReason, rewriteExceptions, unexplained } from "./exceptions.ts";
import { findCircles } from "./find-circles.ts";
import { findForbiddenImports } from "./find-forbidden-imports.ts";
import { findFragments } from "./find-fragments.ts";
import { findOversize } from "./find-oversize.ts";
import { findWideComments } from "./find-wide-comments.ts";
import { readWorkspace } from "./workspace.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const file = fileURLToPath(new URL("../exceptions.json", import.meta.url));

function main(): number {
  const workspace = readWorkspace(root);
  const findings = [
    ...findCircles(workspace),
    ...findOversize(workspace.modules),
    ...findForbiddenImports(workspace),
    ...findFragments(workspace.modules),
    ...findWideComments(workspace.modules),
  ];
  const groups = JSON.parse(readFileSync(file, "utf8")) as readonly Exceptions[];
  if (process.argv.includes("--write-exceptions")) {
    const rewritten = rewriteExceptions(findings, groups);
    writeFileSync(file, `${JSON.stringify(rewritten, null, 2)}\n`);
    return 0;
  }
  const lines = [
    ...unexplained(findings, groups),
    ...groups
      .filter(({ reason }) => reason === missingReason)
      .map(({ rule }) => `exceptions.json: give a reason for the new exceptions of "${rule}"`),
  ];
  const total = `${workspace.modules.length} files checked, ${lines.length} problems found`;
  process.stdout.write(`${[...lines, total].join("\n")}\n`);
  return lines.length === 0 ? 0 : 1;
}

process.exitCode = main();
