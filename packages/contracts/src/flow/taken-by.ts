import {
  type ApprovalDefinition,
  type CallDefinition,
  type SignalDefinition,
  type StepDefinition,
  type Template,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { closeObjects } from "../definition/check-input.ts";
import { type JsonSchema, own } from "../schema/schema-keywords.ts";

/** A part of what a step is given, and by what contract it takes it. */
export interface Taken {
  readonly template: Template;
  /** The field of the step that the template stands in. */
  readonly field: "input" | "until" | "excludes" | "show";
  /** What takes it, for people. */
  readonly by: string;
  /** The contract; undefined: there is none. */
  readonly schema: JsonSchema | undefined;
}

/** An instant is a text. Whether it is one shows when the wait begins. */
const instant = { type: "string" } as const satisfies JsonSchema;

/** The ids of those who may not decide. */
const ids = {
  type: "array",
  items: { type: "string", minLength: 1 },
} as const satisfies JsonSchema;

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

/** One of those who approved. */
const approver = {
  type: "object",
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    at: { type: "string" },
    reason: { type: ["string", "null"] },
  },
  required: ["id", "name", "at", "reason"],
  additionalProperties: false,
} as const satisfies JsonSchema;

/**
 * The schema of what a step returns that people approved, whose form has that schema; null: they
 * fill in none.
 */
export const endOfApproval = (
  { onDeadline }: Pick<ApprovalDefinition, "onDeadline">,
  form: JsonSchema | null,
): JsonSchema => ({
  ...end,
  properties: {
    decision: { type: "string", enum: ["approved"] },
    fired: { type: "string", enum: ["approval", "deadline"] },
    at: end.properties.at,
    by: { type: "array", items: approver },
    form: formAtEnd(form, onDeadline === "approve"),
  },
  required: ["decision", "fired", "at", "by", "form"],
});

function formAtEnd(form: JsonSchema | null, mayBeNone: boolean): JsonSchema {
  if (form === null) return { type: "null" };
  return mayBeNone ? { anyOf: [form, { type: "null" }] } : form;
}

/**
 * What a step returns, of which a part is what was sent to it: with an id of its own, the
 * references of that schema lead to itself.
 */
function around(
  schema: JsonSchema,
  id: string,
  returned: (part: JsonSchema) => JsonSchema,
): JsonSchema {
  const { $schema: dialect, $id = id, ...content } = closeObjects(schema);
  const whole = returned({ ...content, $id });
  return dialect === undefined ? whole : { ...whole, $schema: dialect };
}

/** The name of the contract that a call is held to. */
export const contractNameOf = ({ agent, operation }: CallDefinition): string =>
  `${agent}.${operation}`;

/** What a step is given. */
export function takenBy(
  step: StepDefinition,
  { inputs = {} }: Pick<WorkflowDefinition, "inputs">,
): readonly Taken[] {
  switch (step.kind) {
    case undefined: {
      const by = contractNameOf(step);
      const schema = own(inputs, by) as JsonSchema | undefined;
      return [{ template: step.input, field: "input", by, schema }];
    }
    case "wait": {
      if (!("until" in step)) return [];
      const by = `the wait ${step.name}`;
      return [{ template: step.until, field: "until", by, schema: instant }];
    }
    case "signal":
      return [];
    case "approval": {
      const by = `the approval ${step.name}`;
      return [
        { template: step.excludes, field: "excludes", by, schema: ids },
        { template: step.show, field: "show", by, schema: undefined },
      ];
    }
  }
}

/** What a step returns; undefined: no schema says it. */
export function returnedBy(
  step: StepDefinition,
  {
    outputs = {},
    signals = {},
    forms = {},
  }: Pick<WorkflowDefinition, "outputs" | "signals" | "forms">,
): JsonSchema | undefined {
  switch (step.kind) {
    case undefined:
      return own(outputs, contractNameOf(step)) as JsonSchema | undefined;
    case "wait":
      return end;
    case "signal": {
      const schema = (own(signals, step.signal) ?? {}) as JsonSchema;
      return around(schema, "payload", (payload) => endOfSignal(step, payload));
    }
    case "approval": {
      const schema = own(forms, step.name) as JsonSchema | undefined;
      return schema === undefined
        ? endOfApproval(step, null)
        : around(schema, "form", (form) => endOfApproval(step, form));
    }
  }
}
