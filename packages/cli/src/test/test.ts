import { count } from "@holdfast/diagnosis";
import { ContractFault } from "@holdfast/domain";
import { type Coverage, caseSchema } from "@holdfast/testing";
import { filesMeant } from "../api/values.ts";
import type { Invocation, Outcome } from "../api/verb.ts";
import { exitCodes } from "../exit-codes.ts";
import { workflowsIn } from "./load-workflows.ts";
import { type FileResult, type Report, runCases } from "./run-cases.ts";

const usualWorkflows = "workflows/*.{ts,mts,cts,js,mjs,cjs,json}";

/** Runs the cases of files. */
export async function test({
  operands,
  text,
  flag,
}: Pick<Invocation, "operands" | "text" | "flag">): Promise<Outcome> {
  const cwd = process.cwd();
  if (flag("schema")) return { value: caseSchema, text: JSON.stringify(caseSchema, null, 2) };
  const patterns = operands.length === 0 ? ["cases/*.json"] : operands;
  const files = await filesMeant(patterns, cwd);
  if (files.length === 0) {
    throw new ContractFault("cli.no_case", `There is no case: no file fits ${patterns.join(" ")}`);
  }
  const workflows = workflowsIn(text("workflows") ?? usualWorkflows, cwd);
  const report = await runCases(files, { cwd, workflows });
  const value = reportJson(report);
  return { value, items: value.cases, text: printReport(report), exitCode: exitCodeOf(report) };
}

function exitCodeOf({ files }: Report): number {
  const outcomes = new Set(files.map(({ outcome }) => outcome));
  if (outcomes.has("unusable")) return exitCodes.usage;
  return outcomes.has("failed") ? exitCodes.failed : exitCodes.ok;
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
