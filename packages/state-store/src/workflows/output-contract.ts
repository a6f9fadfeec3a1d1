import {
  checkAside,
  contractHashes,
  type OpenChecker,
  placeOfError,
  type Soon,
  soon,
  UncompilableSchema,
} from "@holdfast/contracts";
import {
  ContractFault,
  callsOf,
  type Json,
  type OperationSchemas,
  type WorkflowDefinition,
} from "@holdfast/domain";

/**
 * Why a value breaks the contract of a step's operation; null: it does not, or there is none. A
 * promise: that takes longer than a transaction may last, and is found aside.
 */
type ContractCheck = (step: string, value: Json) => Soon<ContractFault | null>;

/** The contracts of a workflow's operations, as they were when it was defined. */
export interface StepContracts {
  /**
   * Checks what a step is given: `step.input_invalid`, or `step.input_too_costly`.
   * `details.pointer` is the place that is wrong: of a field that is missing, the field's own.
   */
  readonly input: ContractCheck;
  /** Checks what a step returned: `step.output_invalid`, or `step.output_too_costly`. */
  readonly output: ContractCheck;
  /** The hash of the contract that a step needs; null: the definition has none of its operation. */
  readonly hashOf: (step: string) => string | null;
  /** Steps that all checks so far took here, and the compiling of their schemas. It only grows. */
  readonly stepsTaken: () => number;
}

/** The hash of the contract of each operation that has one. */
export type ContractHashes = ReturnType<typeof contractHashes>;

/** Steps as long as it takes to compile a contract here: for each character of it, and at most. */
const stepsOfCompiling = { each: 100, most: 500_000 };

/**
 * The contracts of a definition, compiled at their first use. A schema that cannot be compiled,
 * such as one with a pattern of another dialect, allows everything.
 */
export function stepContracts(
  definition: WorkflowDefinition,
  stored: ContractHashes | null = null,
  open: OpenChecker = checkAside,
): StepContracts {
  const { inputs, outputs } = definition;
  let taken = 0;
  const operations = new Map(
    callsOf(definition).map(({ name, agent, operation }) => [name, `${agent}.${operation}`]),
  );
  // To make them takes as long as two checks, and transactions ask for them.
  let hashes = stored;
  const checkOf = (what: "input" | "output", schemas: OperationSchemas = {}): ContractCheck => {
    const opened = new Map<string, LenientChecker | null>();
    const checkerOf = (operation: string): LenientChecker | null => {
      const known = opened.get(operation);
      if (known !== undefined) return known;
      const checker = openLenient(open, schemas[operation]);
      if (checker !== null) {
        const { length } = JSON.stringify(schemas[operation]);
        taken += Math.min(stepsOfCompiling.most, length * stepsOfCompiling.each);
      }
      opened.set(operation, checker);
      return checker;
    };
    return (step, value) => {
      const check = checkerOf(operations.get(step) ?? "");
      if (check === null) return null;
      return soon(check(value), (found) => {
        if (found === null) return null;
        taken += found.steps;
        const [error] = found.errors;
        if (error === undefined) return null;
        return new ContractFault(
          found.isTooCostly ? codes[what].costly : codes[what].invalid,
          `The ${what} at ${error.instancePath || "/"} ${error.message}`,
          { details: { pointer: placeOfError(error) } },
        );
      });
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

/** A check that finds null where its schema cannot be compiled. */
type LenientChecker = (value: Json) => Soon<Awaited<ReturnType<ReturnType<OpenChecker>>> | null>;

function openLenient(
  open: OpenChecker,
  schema: { readonly [key: string]: Json } | undefined,
): LenientChecker | null {
  if (schema === undefined) return null;
  try {
    const check = open(schema, { allErrors: false });
    return (value) => {
      const found = check(value);
      return found instanceof Promise ? found.catch(nullIfUncompilable) : found;
    };
  } catch {
    return null;
  }
}

/** All else may pass: what it was asked for is not decided. */
function nullIfUncompilable(error: unknown): null {
  if (error instanceof UncompilableSchema) return null;
  throw error;
}
