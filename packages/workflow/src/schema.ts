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

/** The JSON Schema (draft 7) of what a schema takes. */
export const jsonSchemaOf = (schema: Schema): { readonly [key: string]: Json } =>
  schema["~standard"].jsonSchema.input({ target: "draft-07" }) as { [key: string]: Json };
