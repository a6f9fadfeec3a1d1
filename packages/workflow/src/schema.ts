import type { Json } from "@holdfast/domain";
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";

/**
 * A schema of any library that follows Standard Schema and can also be written down as JSON Schema,
 * such as zod. The former checks values here, the latter tells programs in other languages.
 */
export interface Schema<Input = unknown, Output = Input> {
  readonly "~standard": StandardSchemaV1.Props<Input, Output> &
    StandardJSONSchemaV1.Props<Input, Output>;
}

/** What goes into a schema: JSON as it is on the wire and in the state store. */
export type InputOf<S extends Schema> = StandardSchemaV1.InferInput<S>;
/** What comes out of a schema, checked. */
export type OutputOf<S extends Schema> = StandardSchemaV1.InferOutput<S>;

/**
 * The JSON Schema (draft 7) of what a schema makes of a value; null: it cannot be written as one, such as
 * that of a transformation. Fields that it does not know are let in: readers accept what a newer writer adds.
 */
export function outputSchemaOf(schema: Schema): { readonly [key: string]: Json } | null {
  try {
    return openObjects(schema["~standard"].jsonSchema.output({ target: "draft-07" }) as JsonObject);
  } catch {
    return null;
  }
}

/** The JSON Schema (draft 7) of what a schema takes, as `outputSchemaOf` does for what it makes of it. */
export function inputSchemaOf(schema: Schema): { readonly [key: string]: Json } | null {
  try {
    return openObjects(jsonSchemaOf(schema));
  } catch {
    return null;
  }
}

interface JsonObject {
  readonly [key: string]: Json;
}

const openObjects = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => keyword !== "additionalProperties" || value !== false)
      .map(([keyword, value]) => [keyword, openIn(value)]),
  );

function openIn(value: Json): Json {
  if (Array.isArray(value)) return value.map(openIn);
  return typeof value === "object" && value !== null ? openObjects(value as JsonObject) : value;
}

/** The JSON Schema (draft 7) of what a schema takes. */
export const jsonSchemaOf = (schema: Schema): { readonly [key: string]: Json } =>
  schema["~standard"].jsonSchema.input({ target: "draft-07" }) as { [key: string]: Json };
