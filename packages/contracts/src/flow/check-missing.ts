import {
  evaluateCondition,
  type Json,
  type Lookup,
  lookupIn,
  missingAt,
  parsePointer,
  refPlaces,
  refsOf,
  resolveTemplate,
  type StepDefinition,
  stepOfRef,
  type Template,
  type WorkflowDefinition,
} from "@holdfast/domain";
import {
  type Checker,
  checkAside,
  checkHere,
  type OpenChecker,
  type Soon,
  soon,
} from "../aside/checker.ts";
import { flowAside } from "../aside/judge-aside.ts";
import { type FieldFault, type InputCheck, openInput } from "../definition/check-input.ts";
import { placeOfError } from "../definition/schema-compiler.ts";
import { isObject } from "../schema/schema-keywords.ts";
import { type Taken, takenBy } from "./taken-by.ts";
import { type OpenUse, type ValueFlow, valueFlow } from "./value-flow.ts";

/** What is wrong with the input of a task; found aside where that takes long. */
export type TaskInputCheck = (input: unknown) => Soon<readonly FieldFault[]>;

/**
 * Opens the check that a submission is held to: the schema of the input (`openInput`), and the
 * contracts of steps that need values of it of which the schema does not say that they are there.
 * For services: no input keeps the event loop busy.
 */
export const openTaskInput = (definition: WorkflowDefinition): TaskInputCheck =>
  taskInput(definition, { open: checkAside, flow: flowAside });

/** `openTaskInput` for what does nothing else meanwhile. */
export const compileTaskInput = (definition: WorkflowDefinition): InputCheck =>
  // What is checked here is never a promise.
  taskInput(definition, { open: checkHere, flow: valueFlow }) as InputCheck;

interface Ways {
  readonly open: OpenChecker;
  readonly flow: (definition: WorkflowDefinition) => Soon<ValueFlow>;
}

function taskInput(definition: WorkflowDefinition, { open, flow }: Ways): TaskInputCheck {
  const check = openInput(definition.inputSchema, open);
  let needs: Soon<readonly StepNeeds[]> | undefined;
  const missingIn = (input: Json): Soon<readonly FieldFault[]> => {
    needs ??= soon(flow(definition), (found) => needsOf(definition, found, open));
    // What is not known yet may be asked for again.
    if (needs instanceof Promise) needs.catch(() => (needs = undefined));
    return soon(needs, (all) => {
      if (all.length === 0) return [];
      const lookup = lookupIn({ input, outputs: new Map() });
      return all.reduce<Soon<readonly FieldFault[]>>(
        (sum, step) =>
          soon(sum, (faults) => soon(missingFor(step, lookup), (more) => [...faults, ...more])),
        [],
      );
    });
  };
  return (input) =>
    soon(check(input), (faults) => (faults.length > 0 ? faults : missingIn(input as Json)));
}

/** A step that may miss values of the input. */
interface StepNeeds {
  readonly step: StepDefinition;
  readonly taken: Taken;
  readonly uses: readonly OpenUse[];
  /**
   * Holds what the step would be given to its contract, where that is made of the task's input
   * alone; null: of others, too.
   */
  readonly contract: Checker | null;
}

function needsOf(
  definition: WorkflowDefinition,
  flow: ValueFlow,
  open: OpenChecker,
): readonly StepNeeds[] {
  return definition.steps.flatMap((step): StepNeeds[] => {
    const ofStep = flow.open.filter(
      ({ step: name, shows }) => name === step.name && shows === "submission",
    );
    return takenBy(step, definition).flatMap((taken): StepNeeds[] => {
      const uses = ofStep.filter(({ pointer }) => fieldOf(pointer) === taken.field);
      if (uses.length === 0) return [];
      const isAlone = refsOf(taken.template).every((pointer) => stepOfRef(pointer) === null);
      const contract = isAlone ? open(taken.schema!, { allErrors: false }) : null;
      return [{ step, taken, uses, contract }];
    });
  });
}

/** The field of a step that a pointer in the definition leads to. */
const fieldOf = (pointer: string): string | undefined => parsePointer(pointer)[2];

function missingFor(
  { step, taken, uses, contract }: StepNeeds,
  lookup: Lookup,
): Soon<readonly FieldFault[]> {
  if (step.onlyIf !== null && !evaluateCondition(step.onlyIf, lookup)) return [];
  if (contract === null) {
    return uses
      .filter((use) => isMissing(use, lookup))
      .map(({ value }) => faultAt(value, `is missing: ${neededBy(step, taken)}`));
  }
  const { template } = taken;
  return soon(contract(resolveTemplate(template, lookup)), ({ errors: [error] }) => {
    if (error === undefined) return [];
    const place = placeOfError(error);
    const missing = missingAt(template, place, lookup);
    return missing === null
      ? [faultAt(pointerAt(template, place), `${error.message}: ${neededBy(step, taken)}`)]
      : [faultAt(missing, `is missing: ${neededBy(step, taken)}`)];
  });
}

function isMissing({ value, within, missing }: OpenUse, lookup: Lookup): boolean {
  if (within !== null && !isObject(lookup(within))) return false;
  return lookup(value) === (missing === "null" ? null : undefined);
}

function neededBy({ name }: StepDefinition, { field, by }: Taken): string {
  if (field === "until") return `step "${name}" waits until then`;
  return field === "excludes"
    ? `step "${name}" excludes this principal from its decision`
    : `step "${name}" needs it for ${by}`;
}

const faultAt = (pointer: string, detail: string): FieldFault => ({
  pointer: pointer.slice("/input".length),
  detail,
});

/**
 * Finds where in the input of the task a place in the input of a step comes from; the whole: from
 * several places.
 */
function pointerAt(template: Template, place: string): string {
  const above = refPlaces(template).find(
    (ref) => place === ref.place || place.startsWith(`${ref.place}/`),
  );
  return above === undefined ? "/input" : above.pointer + place.slice(above.place.length);
}
