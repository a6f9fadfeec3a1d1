import { glob } from "node:fs/promises";
import { caseSchema } from "@holdfast/testing";
import type { Answer } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { readArguments } from "../read-arguments.ts";
import { workflowsIn } from "./load-workflows.ts";
import { printReport, reportJson } from "./print-report.ts";
import { runCases } from "./run-cases.ts";

const testUsage = `holdfast test [cases/*.json …] [options]

  Runs cases of workflows in memory and in virtual time, and says which paths and undo paths they take.

  --workflows PATTERN   where workflows are that cases name: workflows/*.{ts,mts,js,mjs,json} unless said otherwise
  --schema              print the JSON Schema of a case file, and exit
  --json                for machines

exit code: 0 all cases passed; 1 a case failed; 2 wrong use, or a file that is no case; 3 there is no case`;

const usualWorkflows = "workflows/*.{ts,mts,js,mjs,json}";

/** Runs the cases of files. */
export async function test(args: readonly string[]): Promise<Answer> {
  const cwd = process.cwd();
  const { values, positionals } = parse(args);
  if (values.help) return { exitCode: 0, text: testUsage, json: { usage: testUsage } };
  if (values.schema) {
    return { exitCode: 0, text: JSON.stringify(caseSchema, null, 2), json: caseSchema };
  }
  const patterns = positionals.length === 0 ? ["cases/*.json"] : positionals;
  const files = await filesOf(patterns, cwd);
  if (files.length === 0) {
    const text = `There is no case: no file fits ${patterns.join(" ")}`;
    return { exitCode: exitCodes.notFound, text, json: { error: "cases.none", message: text } };
  }
  const workflows = workflowsIn(values.workflows ?? usualWorkflows, cwd);
  const report = await runCases(files, { cwd, workflows });
  const outcomes = new Set(report.files.map(({ outcome }) => outcome));
  const exitCode = outcomes.has("unusable")
    ? exitCodes.usage
    : outcomes.has("failed")
      ? exitCodes.failed
      : 0;
  return { exitCode, text: printReport(report), json: reportJson(report) };
}

function parse(args: readonly string[]) {
  return readArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      workflows: { type: "string" },
      schema: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false, short: "h" },
    },
  });
}

/** A name without a wildcard stands for itself, whether there is such a file or not. */
async function filesOf(patterns: readonly string[], cwd: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const pattern of patterns) {
    if (!/[*?{[]/.test(pattern)) files.push(pattern);
    else for await (const file of glob(pattern, { cwd })) files.push(file);
  }
  return [...new Set(files)].toSorted();
}
