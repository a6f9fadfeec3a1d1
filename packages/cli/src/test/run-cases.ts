import { dirname, relative, resolve } from "node:path";
import { Fault, type WorkflowDefinition } from "@holdfast/domain";
import {
  type CaseFault,
  CaseMismatch,
  type CaseResult,
  type Coverage,
  coverageOf,
  readCase,
  runCase,
} from "@holdfast/testing";
import { fileOf } from "../api/values.ts";
import { parse, type Workflows } from "./load-workflows.ts";

/** What became of one file. */
export interface FileResult {
  readonly file: string;
  /** The name of the case; null: it could not be read. */
  readonly name: string | null;
  readonly outcome: "passed" | "failed" | "unusable";
  /** What is not as expected, or wrong with the file. */
  readonly problems: readonly string[];
  readonly ms: number;
  readonly result: CaseResult | null;
}

export interface Report {
  readonly files: readonly FileResult[];
  readonly coverage: readonly Coverage[];
}

interface CaseSurroundings {
  readonly cwd: string;
  readonly workflows: Workflows;
}

/** Runs cases, one after the other, and adds up what of their workflows they have taken. */
export async function runCases(
  files: readonly string[],
  options: CaseSurroundings,
): Promise<Report> {
  const definitions = new Map<string, WorkflowDefinition>();
  const results: FileResult[] = [];
  for (const file of files) {
    const began = performance.now();
    const found = await runFile(resolve(options.cwd, file), options, definitions).catch(unusable);
    results.push({ ...found, file, ms: performance.now() - began });
  }
  const coverage = [...definitions.values()].map((definition) =>
    coverageOf(
      definition,
      results.flatMap(({ result }) => (result?.workflow === definition.name ? [result.paths] : [])),
    ),
  );
  return { files: results, coverage };
}

type Found = Omit<FileResult, "file" | "ms">;

async function runFile(
  file: string,
  { workflows, cwd }: CaseSurroundings,
  definitions: Map<string, WorkflowDefinition>,
): Promise<Found> {
  const shown = relative(cwd, file);
  const read = readCase(parse(fileOf(file), shown));
  if (read.case === null) return notUsable(null, read.faults);
  const { name, workflow } = read.case;
  const definition = await workflows.find(workflow, dirname(file));
  definitions.set(definition.name, definition);
  try {
    const result = await runCase(definition, read.case);
    const problems = result.failures;
    return { name, outcome: problems.length === 0 ? "passed" : "failed", problems, result };
  } catch (error) {
    if (error instanceof CaseMismatch) return notUsable(name, error.faults);
    throw error;
  }
}

const notUsable = (name: string | null, faults: readonly CaseFault[]): Found => ({
  name,
  outcome: "unusable",
  problems: faults.map(({ pointer, detail }) => `${pointer === "" ? "/" : pointer} ${detail}`),
  result: null,
});

function unusable(error: unknown): Found {
  if (!(error instanceof Fault)) throw error;
  return { name: null, outcome: "unusable", problems: error.message.split("\n"), result: null };
}
