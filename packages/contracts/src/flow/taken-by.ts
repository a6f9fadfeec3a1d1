import {
  isCall,
  type SignalDefinition,
  type StepDefinition,
  type Template,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { closeObjects } from "../definition/check-input.ts";
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

/**
 * The schema of what a step returns that waited for a signal, whose payload has that schema: what
 * ended the wait, when, and the payload.
 */
export const endOfSignal = (
  { onDeadline }: Pick<SignalDefinition, "onDeadline">,
  payload: JsonSchema,
): JsonSchema => ({
  ...end,
  properties: {
    fired: { type: "string", enum: [...end.properties.fired.enum, "signal"] },
    at: end.properties.at,
    payload: onDeadline === "fail" ? payload : { anyOf: [payload, { type: "null" }] },
  },
  required: ["fired", "at", "payload"],
});

/** A schema as a part of another one: with an id of its own, its references lead to itself. */
function embedded(schema: JsonSchema): JsonSchema {
  const { $schema: _, $id = "payload", ...content } = closeObjects(schema);
  return { ...content, $id };
}

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
export function returnedBy(
  step: StepDefinition,
  { outputs = {}, signals = {} }: Pick<WorkflowDefinition, "outputs" | "signals">,
): JsonSchema | undefined {
  switch (step.kind) {
    case undefined:
      return own(outputs, `${step.agent}.${step.operation}`) as JsonSchema | undefined;
    case "approval":
      return undefined;
    case "wait":
      return end;
    case "signal": {
      const schema = (own(signals, step.signal) ?? {}) as JsonSchema;
      const dialect = own(schema, "$schema");
      const returned = endOfSignal(step, embedded(schema));
      return dialect === undefined ? returned : { ...returned, $schema: dialect };
    }
  }
}
