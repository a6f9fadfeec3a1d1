import { schemaCompiler } from "@holdfast/contracts";
import {
  ContractFault,
  type Json,
  type OperationSchemas,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { ValidateFunction } from "ajv";

/** Why a value breaks the contract of a step's operation; null: it does not, or there is none. */
type ContractCheck = (step: string, value: Json) => ContractFault | null;

/** The contracts of a workflow's operations, as they were when it was defined. */
export interface StepContracts {
  /** Checks what a step is given: `step.input_invalid`. */
  readonly input: ContractCheck;
  /** Checks what a step returned: `step.output_invalid`. */
  readonly output: ContractCheck;
}

/**
 * The contracts of a definition, compiled at their first use. A schema that cannot be compiled, such as
 * one with a pattern of another dialect, allows everything.
 */
export function stepContracts({ steps, inputs, outputs }: WorkflowDefinition): StepContracts {
  const compile = schemaCompiler({ allErrors: false, validateSchema: false });
  const operations = new Map(
    steps.map(({ name, agent, operation }) => [name, `${agent}.${operation}`]),
  );
  const checkOf = (what: "input" | "output", schemas: OperationSchemas = {}): ContractCheck => {
    const checks = new Map<string, ValidateFunction | null>();
    return (step, value) => {
      const operation = operations.get(step) ?? "";
      const known = checks.get(operation);
      const check = known === undefined ? tryToCompile(compile, schemas[operation]) : known;
      checks.set(operation, check);
      return check === null || check(value) ? null : faultOf(what, check);
    };
  };
  return { input: checkOf("input", inputs), output: checkOf("output", outputs) };
}

const codes = { input: "step.input_invalid", output: "step.output_invalid" } as const;

function faultOf(what: "input" | "output", { errors }: ValidateFunction): ContractFault {
  const [error] = errors ?? [];
  const where = error?.instancePath || "/";
  return new ContractFault(codes[what], `The ${what} at ${where} ${error?.message}`);
}

function tryToCompile(
  compile: ReturnType<typeof schemaCompiler>,
  schema: { readonly [key: string]: Json } | undefined,
): ValidateFunction | null {
  if (schema === undefined) return null;
  try {
    return compile(schema);
  } catch {
    return null;
  }
}
