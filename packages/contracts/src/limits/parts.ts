import {
  fairnessLimits,
  idPattern,
  type Json,
  printablePattern,
  readablePattern,
} from "@holdfast/domain";
import { Type } from "typebox";
import { limits } from "./limits.ts";

const uuid = Type.String({
  maxLength: 36,
  pattern: idPattern,
});

export const TaskId = uuid;
/** The key by which tasks share a band. */
export const FairnessKey = Type.String({
  minLength: 1,
  maxLength: fairnessLimits.key,
  pattern: printablePattern,
});
/** Random, new with each attempt. */
export const Token = uuid;
export const Name = Type.String({
  minLength: 1,
  maxLength: limits.name,
  pattern: printablePattern,
});
export const Code = Type.String({
  minLength: 1,
  maxLength: limits.code,
  pattern: printablePattern,
});
export const Key = Type.String({ minLength: 1, maxLength: limits.key, pattern: printablePattern });
export const Note = Type.String({ maxLength: limits.note, pattern: readablePattern });
export const Words = Type.String({ maxLength: limits.words, pattern: readablePattern });
/** The hash of the contract of an operation; empty: there is none. */
export const ContractHash = Type.String({
  maxLength: limits.contract,
  pattern: `^([0-9a-f]{${limits.contract}})?$`,
});
/** ISO 8601. */
export const Instant = Type.String({ maxLength: limits.instant, pattern: printablePattern });
/** A whole number that an `integer` of Postgres can hold. */
export const Count = (minimum: 0 | 1) => Type.Integer({ minimum, maximum: limits.integer });

/**
 * Characters that may stand in a header of HTTP and in a property of a message alike, without
 * escapes.
 */
const visible = new RegExp(`^[\\x21-\\x7e]{1,${limits.property}}$`);
/** What `isVisible` takes, for people. */
export const allowedVisible = `1 to ${limits.property} visible ASCII characters`;
/**
 * Whether a value is a text that headers of HTTP and properties of messages can have: a key, an id,
 * a name.
 */
export const isVisible = (value: unknown): value is string =>
  typeof value === "string" && visible.test(value);

/** Says of a part of a schema that `payloadFaults` bounds it. */
export const payloadMark = "A payload: see payloadFaults";
/**
 * Says of a number in a schema that it has no maximum, because its reader lowers it to one of its
 * own.
 */
export const loweredMark = "Lowered to a maximum by its reader";
/** JSON; its reader checks it with `payloadFaults`. */
export const Payload = Type.Unsafe<Json>({ $comment: payloadMark });
