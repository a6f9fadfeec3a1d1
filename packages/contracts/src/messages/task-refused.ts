import { type Static, Type } from "typebox";
import { limits } from "../limits/limits.ts";
import { Code, Words } from "../limits/parts.ts";
import { defineMessage } from "./message.ts";

const Property = Type.Union([Type.String({ maxLength: limits.property }), Type.Null()]);

const TaskRefusedSchema = Type.Object({
  event: Type.Literal("refused"),
  /** The `message_id` of the submission. */
  messageId: Property,
  /** As it came with the submission. */
  correlationId: Property,
  code: Code,
  detail: Words,
  /** Where exactly the body is wrong: JSON pointers, and what is wrong there. */
  errors: Type.Array(Type.Object({ pointer: Words, detail: Words }), {
    maxItems: limits.refusals,
  }),
});

/** Tells the submitter of a message why it became no task. */
export type TaskRefused = Static<typeof TaskRefusedSchema>;
export const TaskRefused = defineMessage("task.refused.v1", TaskRefusedSchema);
