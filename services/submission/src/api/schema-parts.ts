import { Type } from "typebox";

/** Any JSON. */
export const Json = Type.Unsafe<unknown>({ description: "Any JSON." });
export const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const Instant = Type.String({ format: "date-time" });
export const Text = Type.String();
/** A schema that the document names. */
export const named = <T extends Record<string, Type.TSchema>>($id: string, properties: T) =>
  Type.Object(properties, { $id });
