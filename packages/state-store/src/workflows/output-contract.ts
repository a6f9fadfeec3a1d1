import {
  type CompiledSchema,
  contractHashes,
  placeOfError,
  schemaCompiler,
} from "@holdfast/contracts";
import {
  ContractFault,
  type Json,
  type OperationSchemas,
  type WorkflowDefinition,
} from "@holdfast/domain";

/** Why a value breaks the contract of a step's operation; null: it does not, or there is none. */
type ContractCheck = (step: string, value: Json) => ContractFault | null;

/** The contracts of a workflow's operations, as they were when it was defined. */
export interface StepContracts {
  /**
   * Checks what a step is given: `step.input_invalid`, or `step.input_too_costly`. `details.pointer` is the place that
   * is wrong: of a field that is missing, the field's own.
   */
  readonly input: ContractCheck;
  /** Checks what a step returned: `step.output_invalid`, or `step.output_too_costly`. */
  readonly output: ContractCheck;
  /** The hash of the contract that a step needs; null: the definition has none of its operation. */
  readonly hashOf: (step: string) => string | null;
  /** Steps that all checks so far took, and the compiling of their schemas. It only grows. */
  readonly stepsTaken: () => number;
}

/** The hash of the contract of each operation that has one. */
export type ContractHashes = ReturnType<typeof contractHashes>;

/** Steps as long as it takes to compile a contract. */
const stepsOfCompiling = 500_000;

/**
 * The contracts of a definition, compiled at their first use. A schema that cannot be compiled, such as
 * one with a pattern of another dialect, allows everything.
 */
export function stepContracts(
  definition: WorkflowDefinition,
  stored: ContractHashes | null = null,
): StepContracts {
  const { steps, inputs, outputs } = definition;
  const compile = schemaCompiler({ allErrors: false });
  let taken = 0;
  const operations = new Map(
    steps.map(({ name, agent, operation }) => [name, `${agent}.${operation}`]),
  );
  // To make them takes as long as two checks, and transactions ask for them.
  let hashes = stored;
  const checkOf = (what: "input" | "output", schemas: OperationSchemas = {}): ContractCheck => {
    const compiled = new Map<string, CompiledSchema | null>();
    const compiledOf = (operation: string): CompiledSchema | null => {
      const known = compiled.get(operation);
      if (known !== undefined) return known;
      const contract = tryToCompile(compile, schemas[operation]);
      if (contract !== null) taken += stepsOfCompiling;
      compiled.set(operation, contract);
      return contract;
    };
    return (step, value) => {
      const checked = compiledOf(operations.get(step) ?? "")?.check(value);
      taken += checked?.steps ?? 0;
      const [error] = checked?.errors ?? [];
      if (checked === undefined || error === undefined) return null;
      const code = checked.isTooCostly ? codes[what].costly : codes[what].invalid;
      return new ContractFault(
        code,
        `The ${what} at ${error.instancePath || "/"} ${error.message}`,
        { details: { pointer: placeOfError(error) } },
      );
    };
  };
  return {
    input: checkOf("input", inputs),
    output: checkOf("output", outputs),
    hashOf(step) {
      hashes ??= contractHashes(definition);
      return hashes[operations.get(step) ?? ""] ?? null;
    },
    stepsTaken: () => taken,
  };
}

const codes = {
  input: { invalid: "step.input_invalid", costly: "step.input_too_costly" },
  output: { invalid: "step.output_invalid", costly: "step.output_too_costly" },
} as const;

function tryToCompile(
  compile: ReturnType<typeof schemaCompiler>,
  schema: { readonly [key: string]: Json } | undefined,
): CompiledSchema | null {
  if (schema === undefined) return null;
  try {
    return compile(schema);
  } catch {
    return null;
  }
}
