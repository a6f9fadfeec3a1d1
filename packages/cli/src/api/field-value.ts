import type { FieldSchema } from "./operation.ts";
import { UsageError } from "./usage-error.ts";
import { instantOf, jsonOf, labelsOf } from "./values.ts";
import type { Io } from "./verb.ts";

/** How the text of an option becomes the value of a field. */
export type ValueKind = "flag" | "text" | "number" | "pairs" | "json";

/** The kind of value that a field has, by its schema. A query says `true` as a text. */
export function kindOf({
  type,
  properties,
  additionalProperties,
  ...schema
}: FieldSchema): ValueKind {
  if (type === "boolean" || isFlag(schema)) return "flag";
  if (type === "string" || schema.enum !== undefined) return "text";
  if (type === "integer" || type === "number") return "number";
  const hasNamesOnly = properties === undefined && typeof additionalProperties === "object";
  return hasNamesOnly && additionalProperties.type === "string" ? "pairs" : "json";
}

const isFlag = (schema: object): boolean =>
  /"enum":\["true"\]|"const":"true"/.test(JSON.stringify(schema));

interface Given {
  readonly texts: readonly string[];
  readonly schema: FieldSchema;
  /** The option as the user wrote it, such as `--limit`. */
  readonly option: string;
  /** Whether `+1h` stands for an instant. */
  readonly isInstant: boolean;
  readonly io: Io;
}

/** The value of a field that an option gives. Throws a `UsageError` for what the document does not allow. */
export async function valueOf({ texts, schema, option, isInstant, io }: Given): Promise<unknown> {
  const [text = ""] = texts;
  switch (kindOf(schema)) {
    case "flag":
      return schema.type === "boolean" ? true : "true";
    case "json":
      return jsonOf(text, option, io);
    case "pairs":
      return labelsOf(texts);
    case "number":
      return numberOf(text, schema, option);
    case "text":
      return checked(isInstant ? instantOf(text, option) : text, schema, option);
  }
}

function checked(text: string, schema: FieldSchema, option: string): string {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema;
  const about = schema.description ?? "see --help";
  if (schema.enum !== undefined && !schema.enum.includes(text)) {
    throw new UsageError(`${option} ${text} must be one of ${schema.enum.join(", ")}`);
  }
  if (text.length < minLength || text.length > maxLength) {
    throw new UsageError(
      `${option} must have ${minLength} to ${maxLength} characters, and has ${text.length}`,
    );
  }
  if (pattern !== undefined && !new RegExp(pattern).test(text)) {
    throw new UsageError(`${option} ${JSON.stringify(text)} cannot be sent. ${about}`);
  }
  return text;
}

function numberOf(text: string, { type, minimum, maximum }: FieldSchema, option: string): number {
  const isWhole = type === "integer";
  const grammar = isWhole ? /^-?\d{1,15}$/ : /^-?\d{1,15}(\.\d{1,15})?$/;
  const number = grammar.test(text) ? Number(text) : Number.NaN;
  if (number >= (minimum ?? number) && number <= (maximum ?? number)) return number;
  throw new UsageError(
    `${option} ${text} must be a ${isWhole ? "whole number" : "number"} from ${minimum ?? "any"} to ${maximum ?? "any"}`,
  );
}
