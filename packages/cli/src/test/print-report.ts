import { count } from "@holdfast/diagnosis";
import type { Coverage } from "@holdfast/testing";
import type { FileResult, Report } from "./run-cases.ts";

/** How many lines of a story are shown of a case that failed. */
const shownStory = 12;
const marks = { passed: "ok   ", failed: "FAIL ", unusable: "ERROR" } as const;

/** A line for each case, what of each workflow the cases take, and what they leave out. */
export function printReport({ files, coverage }: Report): string {
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
export const reportJson = ({ files, coverage }: Report) => ({
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
