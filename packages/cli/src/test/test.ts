import { glob } from "node:fs/promises";
import { count } from "@holdfast/diagnosis";
import { type Coverage, caseSchema } from "@holdfast/testing";
import type { Answer } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { readArguments } from "../read-arguments.ts";
import { workflowsIn } from "./load-workflows.ts";
import { type FileResult, type Report, runCases } from "./run-cases.ts";

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

/** How many lines of a story are shown of a case that failed. */
const shownStory = 12;
const marks = { passed: "ok   ", failed: "FAIL ", unusable: "ERROR" } as const;

/** A line for each case, what of each workflow the cases take, and what they leave out. */
function printReport({ files, coverage }: Report): string {
  const failed = files.filter(({ outcome }) => outcome !== "passed").length;
  const sum = `${count(files.length, "case")}, ${files.length - failed} passed, ${failed} failed`;
  return [...files.flatMap(printFile), "", ...coverage.flatMap(printCoverage), sum].join("\n");
}

function printFile({ file, name, outcome, problems, ms, result }: FileResult): readonly string[] {
  const title = name === null ? "" : `  ${name}`;
  const story = outcome === "failed" ? (result?.story.slice(-shownStory) ?? []) : [];
  return [
    `${marks[outcome]} ${file}${title} (${ms.toFixed(0)} ms)`,
    ...problems.map((problem) => `        ${problem}`),
    ...(story.length > 0 ? ["        What happened last:"] : []),
    ...story.map((line) => `        ${line}`),
  ];
}

function printCoverage({ workflow, paths, undoPaths }: Coverage): readonly string[] {
  const missing = [...paths.missing, ...undoPaths.missing];
  return [
    `${workflow}: ${paths.taken} of ${paths.all} paths, ${undoPaths.taken} of ${undoPaths.all} undo paths`,
    ...(missing.length === 0 ? [] : ["  No case takes:", ...missing.map((path) => `    ${path}`)]),
    "",
  ];
}

/** The report for machines. */
const reportJson = ({ files, coverage }: Report) => ({
  passed: files.every(({ outcome }) => outcome === "passed"),
  cases: files.map(({ file, name, outcome, problems, ms, result }) => ({
    file,
    name,
    outcome,
    problems,
    ms: Math.round(ms),
    workflow: result?.workflow ?? null,
    state: result?.task.state ?? null,
  })),
  coverage,
});
