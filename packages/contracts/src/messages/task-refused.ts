import type { Json } from "@holdfast/domain";
import { type Static, Type } from "typebox";
import { limits } from "../limits/limits.ts";
import { Code, TaskId, Words } from "../limits/parts.ts";
import { readableText } from "../limits/storable-text.ts";
import { defineMessage, fieldsOf } from "./message.ts";

const Property = Type.Union([Type.String({ maxLength: limits.property }), Type.Null()]);

/** What is wrong at each place of a body. */
export const PlaceFaults = Type.Array(
  Type.Object({
    pointer: Type.Unsafe<string>({
      ...Words,
      description: "The place in the body, as a JSON pointer.",
    }),
    detail: Type.Unsafe<string>({ ...Words, description: "What it must be." }),
  }),
  { maxItems: limits.refusals },
);

const TaskRefusedSchema = Type.Object({
  /** What happened. */
  event: Type.Literal("refused"),
  /** The `message_id` of the submission; of one that came in a row, its idempotency key. */
  messageId: Property,
  /** The id that `state.enqueue_submission` returned, for a submission that came as a row. */
  taskId: Type.Optional(TaskId),
  /** The correlation id that came with the submission. */
  correlationId: Property,
  /** Why: a fault code. */
  code: Code,
  /** What is wrong, for people. */
  detail: Words,
  /** JSON pointers to what is wrong in the body, and what is wrong there. */
  errors: PlaceFaults,
});

/** Tells the submitter of a message why it became no task. */
export type TaskRefused = Static<typeof TaskRefusedSchema>;
export const TaskRefused = defineMessage("task.refused.v1", TaskRefusedSchema, {
  adjust: (message) => adjustRefusal(message),
});

/**
 * Makes the texts of a refusal readable: they quote what was refused, which may be anything. So do
 * the fields of these names.
 */
export function adjustRefusal(message: Json, quoted: readonly string[] = []): Json {
  const fields = fieldsOf(message);
  const { detail, errors } = fields;
  const names = quoted.map((name) => [name, fields[name]] as const);
  return {
    ...fields,
    ...textsOf(Object.fromEntries(names), limits.property),
    ...textsOf({ detail }, limits.words),
    ...(Array.isArray(errors) && { errors: (errors as readonly Json[]).map(adjustError) }),
  };
}

function adjustError(error: Json): Json {
  const { pointer, detail } = fieldsOf(error);
  return { ...fieldsOf(error), ...textsOf({ pointer, detail }, limits.words) };
}

const textsOf = (fields: Readonly<Record<string, Json | undefined>>, most: number) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, text]) =>
      typeof text === "string" ? [[name, readableText(text, most)]] : [],
    ),
  );
