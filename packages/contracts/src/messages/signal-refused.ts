import { readablePattern } from "@holdfast/domain";
import { type Static, Type } from "typebox";
import { limits } from "../limits/limits.ts";
import { Code, TaskId, Words } from "../limits/parts.ts";
import { defineMessage } from "./message.ts";
import { adjustRefusal, PlaceFaults } from "./task-refused.ts";

const Property = Type.Union([Type.String({ maxLength: limits.property }), Type.Null()]);
/** What a sender wrote, made readable. */
const Quoted = Type.Union([
  Type.String({ maxLength: limits.property, pattern: readablePattern }),
  Type.Null(),
]);

const SignalRefusedSchema = Type.Object({
  /** What happened. */
  event: Type.Literal("signal-refused"),
  /** The name of the signal; null: it could not be read. */
  name: Quoted,
  /** The sender's own id of the signal; null: it could not be read. */
  id: Quoted,
  /** The task that it named. */
  taskId: Type.Optional(TaskId),
  /** The correlation id that came with it. */
  correlationId: Property,
  /** Why: a fault code. */
  code: Code,
  /** What is wrong, for people. */
  detail: Words,
  /** JSON pointers to what is wrong in the payload or beside it, and what is wrong there. */
  errors: PlaceFaults,
});

/** Tells the sender of a signal why no task got it. */
export type SignalRefused = Static<typeof SignalRefusedSchema>;
export const SignalRefused = defineMessage("signal.refused.v1", SignalRefusedSchema, {
  adjust: (message) => adjustRefusal(message, ["name", "id"]),
});
