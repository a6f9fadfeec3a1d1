import type { Json } from "@holdfast/domain";

export type JsonSchema = { readonly [key: string]: Json };

/** Keywords whose value is one schema. */
export const single = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
] as const;
/** Keywords whose value is a list of schemas. */
export const listed = ["allOf", "anyOf", "items", "oneOf", "prefixItems"] as const;
/** Keywords whose schemas hold for the value itself, all or some of them. */
export const composing = ["allOf", "anyOf", "oneOf"] as const;
/** Keywords whose schema is about the value itself. */
export const conditional = ["if", "then", "else", "not"] as const;
/** Keywords that say what else a field needs. */
export const dependent = ["dependentRequired", "dependentSchemas", "dependencies"] as const;
/**
 * Keywords whose value is a map of schemas; where a map of `dependencies` has a list, that is none.
 */
export const named = [
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
] as const;
export const definitions = ["$defs", "definitions"] as const;
/** Keywords that say something of the value itself. */
export const copied = [
  "const",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maxContains",
  "maximum",
  "maxItems",
  "maxLength",
  "maxProperties",
  "minContains",
  "minimum",
  "minItems",
  "minLength",
  "minProperties",
  "multipleOf",
  "nullable",
  "required",
  "type",
  "uniqueItems",
] as const;

type Part = readonly [path: string, schema: Json];

/** The schemas directly below a schema that are part of it, by their pointers from there. */
export function partsOf(schema: JsonSchema): readonly Part[] {
  const singles = single.flatMap((keyword): readonly Part[] => {
    const value = own(schema, keyword);
    return isSchema(value) ? [[`/${keyword}`, value]] : [];
  });
  const lists = listed.flatMap((keyword): readonly Part[] => {
    const value = own(schema, keyword);
    return Array.isArray(value)
      ? value.map((part: Json, index) => [`/${keyword}/${index}`, part])
      : [];
  });
  return [...singles, ...lists, ...mapsOf(schema, named)];
}

export const mapsOf = (schema: JsonSchema, keywords: readonly string[]): readonly Part[] =>
  keywords.flatMap((keyword) => {
    const value = own(schema, keyword);
    if (!isObject(value)) return [];
    return Object.entries(value)
      .filter(([, part]) => isSchema(part))
      .map(([name, part]): Part => [`/${keyword}/${escaped(name)}`, part]);
  });

export const lengthOf = (value: Json | undefined): number =>
  Array.isArray(value) ? value.length : 0;

/** A key of its own: what every object inherits is none. */
export const own = (schema: JsonSchema, keyword: string): Json | undefined =>
  Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;

export const isSchema = (value: Json | undefined): value is JsonSchema | boolean =>
  isObject(value) || typeof value === "boolean";

export const isObject = (value: Json | undefined): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A key as it stands in a pointer, whole. */
export const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
