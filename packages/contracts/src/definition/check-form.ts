import type { WorkflowDefinition } from "@holdfast/domain";
import { checkAside, checkHere, type OpenChecker, type Soon } from "../aside/checker.ts";
import { type JsonSchema, own } from "../schema/schema-keywords.ts";
import { type FieldFault, type InputCheck, openInput } from "./check-input.ts";

type Forms = Pick<WorkflowDefinition, "forms">;

/** What is wrong with a form that was filled in; found aside where that takes long. */
export type FormCheck = (form: unknown) => Soon<readonly FieldFault[]>;

/**
 * Opens the check of what those fill in who approve a step, by the schema that the workflow has for
 * it: as `openInput` checks inputs. Null is a form in which nothing is filled in: all that a step
 * takes that asks for none. For services: no form keeps the event loop busy.
 */
export const openForm = (definition: Forms, step: string): FormCheck =>
  checkOf(definition, step, checkAside);

/** `openForm` for what does nothing else meanwhile. */
export const compileForm = (definition: Forms, step: string): InputCheck =>
  // What is checked here is never a promise.
  checkOf(definition, step, checkHere) as InputCheck;

function checkOf({ forms = {} }: Forms, step: string, open: OpenChecker): FormCheck {
  const schema = own(forms, step) as JsonSchema | undefined;
  return schema === undefined ? noForm : openInput(schema, open, "the form");
}

const noForm = (form: unknown): readonly FieldFault[] =>
  form === null ? [] : [{ pointer: "", detail: "is not asked for: the step has no form" }];
