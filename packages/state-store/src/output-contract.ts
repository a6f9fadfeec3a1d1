import { ContractFault, type Json, type WorkflowDefinition } from "@holdfast/domain";
import { Ajv, type ValidateFunction } from "ajv";

/** Why an output breaks the contract of its operation; null: it does not, or there is none. */
export type OutputContract = (step: string, output: Json) => ContractFault | null;

/**
 * The contracts of a definition, compiled at their first use. A schema that cannot be compiled, such as
 * one with a pattern of another dialect, holds nobody to anything.
 */
export function outputContract({ steps, outputs = {} }: WorkflowDefinition): OutputContract {
  const ajv = new Ajv({ allErrors: false, strict: false, validateFormats: false, logger: false });
  const checks = new Map<string, ValidateFunction | null>();

  const checkOf = (name: string): ValidateFunction | null => {
    const known = checks.get(name);
    if (known !== undefined) return known;
    const step = steps.find((one) => one.name === name);
    const schema = step && outputs[`${step.agent}.${step.operation}`];
    const check = schema === undefined ? null : compile(ajv, schema);
    checks.set(name, check);
    return check;
  };

  return (name, output) => {
    const check = checkOf(name);
    if (check === null || check(output)) return null;
    const [error] = check.errors ?? [];
    const where = error?.instancePath || "/";
    return new ContractFault("step.output_invalid", `The output at ${where} ${error?.message}`);
  };
}

function compile(ajv: Ajv, schema: { readonly [key: string]: Json }): ValidateFunction | null {
  try {
    return ajv.compile(schema);
  } catch {
    return null;
  }
}
