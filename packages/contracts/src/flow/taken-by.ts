import {
  isCall,
  type StepDefinition,
  type Template,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { type JsonSchema, own } from "../schema/schema-keywords.ts";

/** What a step is given, and by what contract it takes it. */
export interface Taken {
  readonly template: Template;
  /** The field of the step that the template stands in. */
  readonly field: "input" | "until";
  /** What takes it, for people. */
  readonly by: string;
  /** The contract; undefined: there is none. */
  readonly schema: JsonSchema | undefined;
}

/** An instant is a text. Whether it is one shows when the wait begins. */
const instant = { type: "string" } as const satisfies JsonSchema;

/** What a step returns that waited: what ended it, and when. */
const end = {
  type: "object",
  properties: {
    fired: { type: "string", enum: ["deadline", "operator"] },
    at: { type: "string" },
  },
  required: ["fired", "at"],
  additionalProperties: false,
} as const satisfies JsonSchema;

/** What a step is given. */
export function takenBy(
  step: StepDefinition,
  { inputs = {} }: Pick<WorkflowDefinition, "inputs">,
): Taken {
  if (!isCall(step)) {
    const until = "until" in step ? step.until : null;
    const schema = "until" in step ? instant : undefined;
    return { template: until, field: "until", by: `the wait ${step.name}`, schema };
  }
  const by = `${step.agent}.${step.operation}`;
  return {
    template: step.input,
    field: "input",
    by,
    schema: own(inputs, by) as JsonSchema | undefined,
  };
}

/** What a step returns; undefined: no schema says it. */
export const returnedBy = (
  step: StepDefinition,
  { outputs = {} }: Pick<WorkflowDefinition, "outputs">,
): JsonSchema | undefined =>
  isCall(step) ? (own(outputs, `${step.agent}.${step.operation}`) as JsonSchema | undefined) : end;
