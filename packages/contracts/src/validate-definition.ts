import {
  type Condition,
  ContractFault,
  type Json,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { ErrorObject } from "ajv";
import { checkOrder, type OrderedStep, type Problem } from "./check-order.ts";
import { checkCondition, checkTemplate } from "./check-template.ts";
import { formErrors } from "./definition-schema.ts";
import { payloadFaults } from "./payload-faults.ts";

/** As deep as a payload may be, and the definition around it. */
const deepest = 40;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Accepts a definition wherever it comes from. Throws a `ContractFault` (`workflow.invalid`) that
 * lists all that is wrong with it, a line each, and where.
 */
export function validateDefinition(json: unknown): WorkflowDefinition {
  return accept(json, formErrors(json));
}

/**
 * Accepts a definition that the state store returned. Unlike `validateDefinition` it ignores fields that it
 * does not know: a later release may have stored them.
 */
export function readDefinition(json: unknown): WorkflowDefinition {
  const known = formErrors(json).filter(({ keyword }) => keyword !== "additionalProperties");
  return accept(json, known);
}

function accept(json: unknown, form: readonly ErrorObject[]): WorkflowDefinition {
  const unstorable = payloadFaults(json, deepest).map((what) => ({ step: null, what }));
  const problems = unstorable.length > 0 ? unstorable : problemsOf(json, form);
  if (problems.length === 0) return json as WorkflowDefinition;
  const { name } = fields(json);
  const workflow = typeof name === "string" ? name : "workflow";
  const lines = problems.map(({ step, what }) =>
    step === null ? `${workflow}: ${what}` : `${workflow}, step "${step}": ${what}`,
  );
  throw new ContractFault("workflow.invalid", [...new Set(lines)].join("\n"));
}

/** What is wrong with the form of one part does not hide what is wrong with the others. */
function problemsOf(json: unknown, errors: readonly ErrorObject[]): readonly Problem[] {
  const { steps, output } = fields(json);
  const all: readonly unknown[] = Array.isArray(steps) ? steps : [];
  const names = all.map((step, index) => nameOf(step) ?? `${index + 1}`);
  const form = errors.map((error) => describe(error, names));
  if (all.length > 100) return form;
  const contents = all.flatMap((step, index) =>
    contentProblems(step).map((what) => ({ step: names[index] ?? null, what })),
  );
  const outcome = checkTemplate(output).map((what) => ({ step: null, what: `output: ${what}` }));
  const ordered = all.map(asOrdered).filter((step) => step !== null);
  return [...form, ...contents, ...outcome, ...checkOrder(ordered, output as Json)];
}

function contentProblems(step: unknown): readonly string[] {
  const { input, onlyIf = null } = fields(step);
  return [
    ...checkTemplate(input).map((what) => `input: ${what}`),
    ...(onlyIf === null ? [] : checkCondition(onlyIf).map((what) => `onlyIf: ${what}`)),
  ];
}

/** As much of a step as can be read; null for what has no name. */
function asOrdered(step: unknown): OrderedStep | null {
  const { after, input = null, onlyIf = null } = fields(step);
  const name = nameOf(step);
  if (name === null) return null;
  const readable = onlyIf !== null && checkCondition(onlyIf).length === 0;
  return {
    name,
    after: Array.isArray(after) ? after.filter((other) => typeof other === "string") : [],
    input: input as Json,
    onlyIf: readable ? (onlyIf as Condition) : null,
  };
}

/** `/steps/2/retry/failures` becomes the step's name and `retry.failures`. */
function describe(
  { instancePath, message, params }: ErrorObject,
  names: readonly string[],
): Problem {
  const [, root, index, ...rest] = instancePath.split("/");
  const step = root === "steps" ? (names[Number(index)] ?? null) : null;
  const field = (step === null ? instancePath.split("/").slice(1) : rest).join(".");
  const extra =
    typeof params["additionalProperty"] === "string" ? params["additionalProperty"] : "";
  return { step, what: [field, message, extra].filter(Boolean).join(" ") };
}

const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

function nameOf(step: unknown): string | null {
  const { name } = fields(step);
  return typeof name === "string" ? name : null;
}
