import {
  evaluateCondition,
  type Json,
  type Lookup,
  lookupIn,
  missingAt,
  refPlaces,
  refsOf,
  resolveTemplate,
  type StepDefinition,
  stepOfRef,
  type Template,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { compileInput, type FieldFault, type InputCheck } from "../definition/check-input.ts";
import {
  type CompiledSchema,
  placeOfError,
  schemaCompiler,
} from "../definition/schema-compiler.ts";
import { isObject } from "../schema/schema-keywords.ts";
import { type OpenUse, valueFlow } from "./value-flow.ts";

/**
 * Compiles what a submission is held to: the schema of the input (`compileInput`), and the contracts of steps that need
 * values of it of which the schema does not say that they are there.
 */
export function compileTaskInput(definition: WorkflowDefinition): InputCheck {
  const check = compileInput(definition.inputSchema);
  let needs: readonly StepNeeds[] | undefined;
  return (input) => {
    const faults = check(input);
    if (faults.length > 0) return faults;
    needs ??= needsOf(definition);
    if (needs.length === 0) return faults;
    const lookup = lookupIn({ input: input as Json, outputs: new Map() });
    return needs.flatMap((step) => missingFor(step, lookup));
  };
}

/** A step that may miss values of the input. */
interface StepNeeds {
  readonly step: StepDefinition;
  readonly uses: readonly OpenUse[];
  /** Holds what the step would be given to its contract, where that is made of the task's input alone; null: of others, too. */
  readonly contract: CompiledSchema | null;
}

function needsOf(definition: WorkflowDefinition): readonly StepNeeds[] {
  const { open } = valueFlow(definition);
  return definition.steps.flatMap((step): StepNeeds[] => {
    const uses = open.filter(
      ({ step: name, shows }) => name === step.name && shows === "submission",
    );
    if (uses.length === 0) return [];
    const isAlone = refsOf(step.input).every((pointer) => stepOfRef(pointer) === null);
    const schema = definition.inputs![`${step.agent}.${step.operation}`]!;
    return [
      { step, uses, contract: isAlone ? schemaCompiler({ allErrors: false })(schema) : null },
    ];
  });
}

function missingFor({ step, uses, contract }: StepNeeds, lookup: Lookup): readonly FieldFault[] {
  if (step.onlyIf !== null && !evaluateCondition(step.onlyIf, lookup)) return [];
  if (contract === null) {
    return uses
      .filter((use) => isMissing(use, lookup))
      .map(({ value }) => faultAt(value, `is missing: ${neededBy(step)}`));
  }
  const [error] = contract.check(resolveTemplate(step.input, lookup)).errors;
  if (error === undefined) return [];
  const place = placeOfError(error);
  const missing = missingAt(step.input, place, lookup);
  return missing === null
    ? [faultAt(pointerAt(step.input, place), `${error.message}: ${neededBy(step)}`)]
    : [faultAt(missing, `is missing: ${neededBy(step)}`)];
}

function isMissing({ value, within, missing }: OpenUse, lookup: Lookup): boolean {
  if (within !== null && !isObject(lookup(within))) return false;
  return lookup(value) === (missing === "null" ? null : undefined);
}

const neededBy = ({ name, agent, operation }: StepDefinition): string =>
  `step "${name}" needs it for ${agent}.${operation}`;

const faultAt = (pointer: string, detail: string): FieldFault => ({
  pointer: pointer.slice("/input".length),
  detail,
});

/** Finds where in the input of the task a place in the input of a step comes from; the whole: from several places. */
function pointerAt(template: Template, place: string): string {
  const above = refPlaces(template).find(
    (ref) => place === ref.place || place.startsWith(`${ref.place}/`),
  );
  return above === undefined ? "/input" : above.pointer + place.slice(above.place.length);
}
