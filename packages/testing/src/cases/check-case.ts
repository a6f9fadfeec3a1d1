import { compileTaskInput, schemaCompiler } from "@holdfast/contracts";
import { type Json, undoNameOf, type WorkflowDefinition } from "@holdfast/domain";
import type { Case, CaseFault } from "./case.ts";
import { listOf, placeAt } from "./read-parts.ts";

/** What is wrong with a case of this workflow: names of steps, the input, and replies that break a contract. */
export function checkCase(definition: WorkflowDefinition, one: Case): readonly CaseFault[] {
  const faults: CaseFault[] = [];
  const place = placeAt(faults);
  for (const { pointer, detail } of compileTaskInput(definition)(one.input)) {
    faults.push({
      pointer: `/input${pointer}`,
      detail: detail.replace(/^unknown field.*/, "is no field of the input"),
    });
  }
  const names = stepNames(definition);
  const check = (name: string, at: ReturnType<typeof placeAt>, known = names): void => {
    if (!known.includes(name))
      at.wrong(`${definition.name} has no step ${name}; it has ${listOf(known)}`);
  };
  for (const [name, behaviours] of Object.entries(one.steps)) {
    const at = place.at("steps").at(name);
    check(name, at);
    behaviours.forEach((behaviour, index) => {
      if (behaviour.kind !== "reply" && behaviour.kind !== "late") return;
      const wrong = faultOfReply(definition, name, behaviour.output);
      if (wrong !== null) at.at(index).at(behaviour.kind).wrong(wrong);
    });
  }
  const expected = place.at("expect");
  for (const name of Object.keys(one.expect.steps)) check(name, expected.at("steps").at(name));
  const calls = definition.steps.map(({ name }) => name);
  const undos = definition.steps.flatMap(({ name, undo }) => (undo === null ? [] : [name]));
  one.expect.calls?.forEach((name, index) => check(name, expected.at("calls").at(index), calls));
  one.expect.undos?.forEach((name, index) => check(name, expected.at("undos").at(index), undos));
  return faults;
}

const stepNames = ({ steps }: WorkflowDefinition): readonly string[] =>
  steps.flatMap(({ name, undo }) => (undo === null ? [name] : [name, undoNameOf(name)]));

/** Why the Agent of a step would not return this; null: it would. An undo returns nothing. */
function faultOfReply(definition: WorkflowDefinition, name: string, output: Json): string | null {
  const step = definition.steps.find((one) => one.name === name);
  const schema = step && definition.outputs?.[`${step.agent}.${step.operation}`];
  if (step === undefined || schema === undefined) return null;
  const [error] = schemaCompiler({ allErrors: false })(schema).check(output).errors;
  if (error === undefined) return null;
  return `is not what ${step.agent}.${step.operation} returns: ${error.instancePath} ${error.message ?? "it breaks the contract"}`.replace(
    "  ",
    " ",
  );
}
